import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, configurationTable, loadConfig } from '../../src/base/config.ts';
import { settingEntries } from '../../src/base/settings.ts';

function problemsOf(environment: Record<string, string>, flags = {}): readonly string[] {
  try {
    loadConfig(environment, flags);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('settings', () => {
  it('has the defaults of the contract when nothing is given', () => {
    expect(loadConfig({})).toEqual({
      port: 8080,
      host: '127.0.0.1',
      baseUrl: null,
      databaseUrl: null,
      dataDir: resolve('.odograph'),
      garage: 'auto',
      makerClientId: null,
      makerClientSecret: null,
      makerRedirectUrl: null,
      makerAuthUrl: null,
      makerApiUrl: null,
      makerDomain: null,
      makerRegions: ['NA', 'EU'],
      telemetryHost: null,
      telemetryPort: 443,
      telemetryCaFile: null,
      recordFile: null,
      mqttUrl: null,
      mqttUsername: null,
      mqttPassword: null,
      mqttClientId: 'odograph',
      mqttTopic: 'telemetry',
      makerBudget: 10,
      makerCurrency: 'USD',
      makerPrices: { signals: 150_000, commands: 1000, data: 500, wakes: 50 },
      makerLimits: { data: 60, commands: 30, wakes: 3 },
      makerAccountLimits: { data: 600, commands: 300, wakes: 30 },
      secretKey: null,
      logLevel: 'info',
      trustProxy: [],
      outboundAllow: [],
      eventDays: 30,
      auditDays: 365,
      webhookDays: 30,
      geocoderUrl: null,
      rawDays: 3,
      commandProxyUrl: null,
      commandGroups: ['all'],
      adminCommands: false,
      commandTokenPerMinute: 30,
      commandVehiclePerMinute: 10,
      commandWakesPerMinute: 3,
      commandWakesPerDay: 15,
      commandQueue: 20,
      legacyApiKeys: false,
    });
  });

  it('lets a flag win over the variable, and the variable over the default', () => {
    expect(loadConfig({ PORT: '81', HOST: '::1' }, { port: '82' })).toMatchObject({
      port: 82,
      host: '::1',
    });
  });

  it('takes an empty variable as unset', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: '' })).toMatchObject({
      port: 8080,
      databaseUrl: null,
    });
  });

  it('reads the secret key as 32 bytes', () => {
    const key = Buffer.alloc(32, 7);
    expect(loadConfig({ ODOGRAPH_SECRET_KEY: key.toString('base64') }).secretKey).toEqual(key);
  });

  it('reads the base URL without a slash at its end', () => {
    expect(loadConfig({ ODOGRAPH_BASE_URL: 'https://a.example/cars/' }).baseUrl).toBe(
      'https://a.example/cars',
    );
  });

  it.each([
    ['PORT', 'http'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['HOST', 'a host'],
    ['ODOGRAPH_BASE_URL', 'cars.example.org'],
    ['ODOGRAPH_BASE_URL', 'ftp://cars.example.org'],
    ['ODOGRAPH_BASE_URL', 'https://cars.example.org?a=1'],
    ['DATABASE_URL', 'mysql://localhost/cars'],
    ['ODOGRAPH_GARAGE', 'yes'],
    ['ODOGRAPH_SECRET_KEY', 'too short'],
    ['LOG_LEVEL', 'loud'],
    ['ODOGRAPH_TRUST_PROXY', 'on'],
    ['ODOGRAPH_TRUST_PROXY', '10.0.0.0/33'],
    ['ODOGRAPH_LEGACY_API_KEYS', 'maybe'],
  ])('refuses %s=%s and names the variable', (variable, text) => {
    const problems = problemsOf({ [variable]: text });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${variable} must `));
  });

  it('tells every problem at once, by the flag where the flag is wrong', () => {
    const problems = problemsOf({ LOG_LEVEL: 'loud', HOST: 'a b' }, { port: 'x' });
    expect(problems).toHaveLength(3);
    expect(problems[0]).toContain('--port must be a whole number from 0 to 65535 (it is "x").');
  });

  it('never shows a secret in a problem', () => {
    const problems = problemsOf({
      DATABASE_URL: 'mysql://me:hunter2@localhost',
      ODOGRAPH_SECRET_KEY: 'hunter2',
    });
    expect(problems.join()).not.toContain('hunter2');
  });

  it('prints one row of the README table for every setting', () => {
    const rows = configurationTable().split('\n').slice(2);
    expect(rows).toHaveLength(settingEntries().length);
    expect(rows[0]).toBe(
      '| `PORT` | `--port <number>` | `8080` | TCP port of the HTTP server; 0 takes any free one. |',
    );
  });
});
