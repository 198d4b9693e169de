const plainHost = /^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/;

/**
 * Address under which the caller reached the service, without a slash at its end: the configured one, otherwise the
 * request's. A host that is no plain host name counts as `localhost`, so that no header writes into our links.
 */
export function baseUrlOf(
  configured: string | null,
  request: { protocol: string; host: string },
): string {
  if (configured !== null) return configured;
  return `${request.protocol}://${plainHost.test(request.host) ? request.host : 'localhost'}`;
}
