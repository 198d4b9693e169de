import { expect, test } from 'vitest';
import { movedBaseUrl, regionBaseUrls, regionNamed } from '../../src/maker/regions.ts';

const loopback = 'http://127.0.0.1:8080';

test.each([
  ['another region', regionBaseUrls.EU, regionBaseUrls.NA, regionBaseUrls.EU],
  ['a region with a path', `${regionBaseUrls.CN}/x?y`, regionBaseUrls.NA, regionBaseUrls.CN],
  ['a region, from a proxy', regionBaseUrls.EU, 'https://proxy.example', regionBaseUrls.EU],
  ['loopback, from loopback', 'http://localhost:9', loopback, 'http://localhost:9'],
  ['IPv6 loopback', 'http://[::1]:9/', loopback, 'http://[::1]:9'],
])('moves an account to %s', (_where, candidate, current, expected) => {
  expect(movedBaseUrl(candidate, current)).toBe(expected);
});

test.each([
  ['plain HTTP', 'http://fleet-api.prd.eu.vn.cloud.tesla.com', regionBaseUrls.NA],
  ['another host', 'https://evil.example', regionBaseUrls.NA],
  [
    'a host that begins alike',
    'https://fleet-api.prd.eu.vn.cloud.tesla.com.evil.example',
    loopback,
  ],
  ['a host that ends alike', 'https://evil-fleet-api.prd.eu.vn.cloud.tesla.com', regionBaseUrls.NA],
  ['another port', 'https://fleet-api.prd.eu.vn.cloud.tesla.com:8443', regionBaseUrls.NA],
  ['a name in the URL', 'https://a:b@fleet-api.prd.eu.vn.cloud.tesla.com', regionBaseUrls.NA],
  ['loopback, from the maker', loopback, regionBaseUrls.NA],
  ['the maker, from loopback', regionBaseUrls.EU, loopback],
  ['a host like loopback', 'http://127.0.0.1.evil.example', loopback],
  ['a file', 'file:///etc/passwd', loopback],
  ['no URL', 'fleet-api', loopback],
  ['anything, from no URL', regionBaseUrls.EU, 'nowhere'],
])('moves no account to %s', (_where, candidate, current) => {
  expect(movedBaseUrl(candidate, current)).toBeNull();
});

test.each([
  ['EU', 'EU'],
  ['eu', 'EU'],
  ['NA', 'NA'],
  ['CN', 'CN'],
  ['XX', null],
  [7, null],
  [undefined, null],
])('takes the word %j for region %j', (word, region) => {
  expect(regionNamed(word)).toBe(region);
});
