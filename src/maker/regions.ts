/** The maker's regions, as a token's `ou_code` names them (maker.md §1.1). */
export const regionNames = ['NA', 'EU', 'CN'] as const;

/** One of the maker's regions. */
export type Region = (typeof regionNames)[number];

/** Where the vehicle API of each region answers (maker documentation, "Base URLs"). */
export const regionBaseUrls: Readonly<Record<Region, string>> = {
  NA: 'https://fleet-api.prd.na.vn.cloud.tesla.com',
  EU: 'https://fleet-api.prd.eu.vn.cloud.tesla.com',
  CN: 'https://fleet-api.prd.cn.vn.cloud.tesla.cn',
};

const makerHost = /^fleet-api\.prd\.[a-z]{2,8}\.vn\.cloud\.tesla\.(?:com|cn)$/;
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** The region that a word names, or null where it names none of ours. */
export function regionNamed(word: unknown): Region | null {
  const name = typeof word === 'string' ? word.trim().toUpperCase() : '';
  return regionNames.find((region) => region === name) ?? null;
}

/**
 * The base URL to which `candidate` may move an account, or null.
 *
 * A token follows this address, so only HTTPS hosts of the maker are taken; a base on loopback (a simulator) may be moved
 * on loopback and nowhere else.
 */
export function movedBaseUrl(candidate: string, currentBaseUrl: string): string | null {
  if (!URL.canParse(candidate) || !URL.canParse(currentBaseUrl)) return null;
  const url = new URL(candidate);
  if (url.username !== '' || url.password !== '') return null;
  if (loopbackHost.test(new URL(currentBaseUrl).hostname)) {
    const web = url.protocol === 'http:' || url.protocol === 'https:';
    return web && loopbackHost.test(url.hostname) ? url.origin : null;
  }
  const ofMaker = url.protocol === 'https:' && url.port === '' && makerHost.test(url.hostname);
  return ofMaker ? url.origin : null;
}

/** The region of the maker's own host at this base URL, or null for any other host. */
export function regionOfBaseUrl(baseUrl: string): Region | null {
  const origin = URL.canParse(baseUrl) ? new URL(baseUrl).origin : null;
  const found = Object.entries(regionBaseUrls).find(([, url]) => url === origin);
  return regionNamed(found?.[0]);
}
