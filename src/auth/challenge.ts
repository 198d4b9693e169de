import type { ErrorCode, ServiceError } from '../base/errors.ts';

type Challenge = { error: 'invalid_token' | 'insufficient_scope' | null };

const challenges: { readonly [C in ErrorCode]?: Challenge } = {
  missing_token: { error: null },
  invalid_token: { error: 'invalid_token' },
  expired_token: { error: 'invalid_token' },
  bearer_required: { error: 'invalid_token' },
  insufficient_scope: { error: 'insufficient_scope' },
};

/** Characters that RFC 6750 3 lets stand in `error_description`; others become their nearest harmless stand-in. */
function described(message: string): string {
  return message
    .replaceAll('"', "'")
    .replaceAll('\\', '/')
    .replaceAll(/[^\x20-\x7e]/g, '?');
}

/**
 * Value of `WWW-Authenticate` for an error, or null when the error is not about who calls. It names an error only
 * when a credential was presented, and the missing scope when that is the reason (RFC 6750 3 and 3.1).
 */
export function wwwAuthenticate(error: ServiceError): string | null {
  const challenge = challenges[error.code];
  if (challenge === undefined) return null;
  const scope = error.requiredScope?.replaceAll(/[^\x21\x23-\x5b\x5d-\x7e ]/g, '') ?? '';
  return [
    'Bearer realm="odograph"',
    ...(challenge.error === null
      ? []
      : [`error="${challenge.error}"`, `error_description="${described(error.message)}"`]),
    ...(challenge.error === 'insufficient_scope' && scope !== '' ? [`scope="${scope}"`] : []),
  ].join(', ');
}
