import type { Principal } from './principal.ts';

const texts = new WeakMap<Principal, string>();

/** The order of scopes and vehicles says nothing. */
function settled(value: unknown): unknown {
  return value instanceof Set || Array.isArray(value) ? [...value].sort() : value;
}

/**
 * All that decides what a caller may see, as text: equal for callers who see the same. Of a principal only the credential
 * itself and its end are no part of it.
 */
export function viewOf(principal: Principal | null): string {
  if (principal === null) return 'nobody';
  const known = texts.get(principal);
  if (known !== undefined) return known;
  const { credential: _credential, expiresAt: _expiresAt, ...view } = principal;
  const names = Object.entries(view).sort(([one], [other]) => (one < other ? -1 : 1));
  const text = JSON.stringify(names.map(([name, value]) => [name, settled(value)]));
  texts.set(principal, text);
  return text;
}

/**
 * The principal without who it is, for an answer that all callers of a view are told. Asking for what only one of them has
 * throws, so that such an answer is none.
 */
export function anyoneOf(principal: Principal | null): Principal | null {
  if (principal === null) return null;
  const personal = (): never => {
    throw new Error('What several callers are told cannot depend on the credential of one.');
  };
  return Object.defineProperties(
    { ...principal },
    { credential: { get: personal }, expiresAt: { get: personal } },
  );
}
