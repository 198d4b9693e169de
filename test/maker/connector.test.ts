import { expect, test } from 'vitest';
import { fleetConnector, homeRegionOf } from '../../src/maker/connector.ts';
import type { Region } from '../../src/maker/regions.ts';

const registeredIn = (regions: readonly Region[], authUrl: string | null = null) =>
  fleetConnector({
    ...{ clientId: 'odograph', clientSecret: null, redirectUrl: 'https://cars.example.org/back' },
    ...{ authUrl, apiUrl: null },
    application: { domain: 'cars.example.org', regions, proxyUrl: null, telemetry: null },
  });

test.each<[Region[], Region, string, string]>([
  [['NA', 'EU'], 'NA', 'auth.tesla.com', 'fleet-auth.prd.vn.cloud.tesla.com'],
  [['EU'], 'EU', 'auth.tesla.com', 'fleet-auth.prd.vn.cloud.tesla.com'],
  [['CN', 'EU'], 'EU', 'auth.tesla.com', 'fleet-auth.prd.vn.cloud.tesla.com'],
  [['CN'], 'CN', 'auth.tesla.cn', 'auth.tesla.cn'],
])('an application of %j signs people of %s in at %s', (regions, home, consent, token) => {
  const connector = registeredIn(regions);
  expect(homeRegionOf(connector.application)).toBe(home);
  expect(new URL(connector.authorizeUrl).host).toBe(consent);
  expect(new URL(connector.tokenUrl).host).toBe(token);
});

test('the application itself signs in where each region does', () => {
  const tokenUrlOf = registeredIn(['NA', 'CN']).application?.tokenUrlOf;
  expect(tokenUrlOf?.('EU')).toBe('https://fleet-auth.prd.vn.cloud.tesla.com/oauth2/v3/token');
  expect(tokenUrlOf?.('CN')).toBe('https://auth.tesla.cn/oauth2/v3/token');
});

test('an address that is set stands for all of them', () => {
  const connector = registeredIn(['CN'], 'http://127.0.0.1:9');
  expect(connector.authorizeUrl).toBe('http://127.0.0.1:9/oauth2/v3/authorize');
  expect(connector.tokenUrl).toBe('http://127.0.0.1:9/oauth2/v3/token');
});
