import { type AuthFailure, AuthScopeFailureType } from '@pothos/plugin-scope-auth';
import type { Principal } from '../auth/principal.ts';
import { ServiceError } from '../base/errors.ts';

/** Scopes whose absence led to a failure, in the order in which they were asked for. */
function missingScopes(failure: AuthFailure): string[] {
  switch (failure.kind) {
    case AuthScopeFailureType.AuthScope:
      return [failure.scope];
    case AuthScopeFailureType.AnyAuthScopes:
    case AuthScopeFailureType.AllAuthScopes:
      return failure.failures.flatMap(missingScopes);
    default:
      return [];
  }
}

/** The error of a field that the caller may not read: 401 without a credential, 403 with one (spec 7). */
export function denial(principal: Principal | null, failure: AuthFailure): ServiceError {
  const scopes = missingScopes(failure);
  const needed = scopes.join(' or ');
  return principal === null
    ? new ServiceError('missing_token', `This needs a token with the scope ${needed}.`)
    : new ServiceError('insufficient_scope', `The token lacks the scope ${needed}.`, {
        requiredScope: scopes[0],
      });
}
