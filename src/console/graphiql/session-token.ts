const KEY = 'odograph:token';

/** The token this browser tab signs its calls with, or null. */
export function sessionToken(): string | null {
  return sessionStorage.getItem(KEY);
}

/** Keeps `token` until the browser tab closes; null forgets it. It is never written anywhere else. */
export function keepSessionToken(token: string | null): void {
  if (token === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, token);
}

/**
 * Takes the token out of a link such as `/graphiql#token=...` and out of the address bar; a fragment never reaches a
 * server. Says whether there was one.
 */
export function takeTokenFromFragment(): boolean {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get('token');
  if (token === null) return false;
  keepSessionToken(token === '' ? null : token);
  fragment.delete('token');
  const rest = fragment.size === 0 ? '' : `#${fragment}`;
  history.replaceState(history.state, '', location.pathname + location.search + rest);
  return true;
}
