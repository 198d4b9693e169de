import type { QuotaState } from '../../actions/command-limits.ts';

/** `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-10; none where nothing is limited. */
export function rateLimitHeaders(quotas: readonly QuotaState[]): Record<string, string> {
  if (quotas.length === 0) return {};
  const policies = quotas.map(({ name, quota, windowS }) => `"${name}";q=${quota};w=${windowS}`);
  const left = quotas.map(({ name, remaining, resetS }) => `"${name}";r=${remaining};t=${resetS}`);
  return { 'RateLimit-Policy': policies.join(', '), RateLimit: left.join(', ') };
}
