import { describe, expect, it } from 'vitest';
import { type CommandName, commandRow } from '../../src/contract/commands.ts';
import { makerApi } from '../../src/maker/api.ts';
import type { CommandOutcome } from '../../src/maker/command-outcome.ts';
import { outcomeOf } from '../../src/maker/command-outcome.ts';
import { proxySigner } from '../../src/maker/signer.ts';
import { always, closedPort, open, standIn } from '../maker/stand-in.ts';

const vin = 'LRW3E7FS0NC000042';
const clock = () => Date.UTC(2026, 10, 19);
const token = async () => 'access-1';

const result = (reason: string, value = false) => ({ response: { result: value, reason } });
const failed = (error: string) => ({ response: null, error, error_description: '' });

type Case = [string, CommandName, number, unknown, Partial<CommandOutcome>];

const cases: Case[] = [
  ['a yes', 'lock', 200, result('', true), { kind: 'happened', noOp: false }],
  [
    'what was so already',
    'set_charge_limit',
    200,
    result('already_set'),
    { kind: 'happened', noOp: true },
  ],
  [
    'what was so already, by the proxy',
    'set_charge_limit',
    200,
    result('car could not execute command: already_set'),
    { kind: 'happened', noOp: true, reason: 'already_set' },
  ],
  [
    'a charge that runs',
    'start_charging',
    200,
    result('is_charging'),
    { kind: 'happened', noOp: true },
  ],
  ['a full battery', 'start_charging', 200, result('complete'), { kind: 'happened', noOp: true }],
  [
    'no charge to stop',
    'stop_charging',
    200,
    result('not_charging'),
    { kind: 'happened', noOp: true },
  ],
  [
    'no charge elsewhere',
    'set_charging_amps',
    200,
    result('not_charging'),
    { kind: 'refused', again: 'never' },
  ],
  [
    'no cable',
    'start_charging',
    200,
    result('disconnected'),
    { kind: 'refused', code: 'precondition_failed', reason: 'disconnected' },
  ],
  [
    'what the vehicle lacks',
    'set_seat_cooler',
    200,
    result('not_supported'),
    { kind: 'refused', code: 'unsupported_by_vehicle' },
  ],
  [
    'a reason nobody knows',
    'lock',
    200,
    result('the moon'),
    { kind: 'refused', code: 'maker_error', message: 'The vehicle refused: the moon.' },
  ],
  [
    'a mode that stands against it',
    'reset_valet_pin',
    200,
    result('valet_mode_active'),
    { kind: 'refused', message: 'The vehicle does not allow this now: valet mode active.' },
  ],
  [
    'a sleeping vehicle',
    'lock',
    408,
    failed('vehicle unavailable: vehicle is offline or asleep'),
    { kind: 'refused', again: 'when_awake' },
  ],
  [
    'a sleeping vehicle behind the proxy',
    'lock',
    500,
    failed('vehicle unavailable: vehicle is offline or asleep'),
    { kind: 'refused', again: 'when_awake' },
  ],
  ['a vehicle that timed out', 'lock', 408, { error: 'timeout' }, { kind: 'unknown' }],
  [
    'a limit',
    'lock',
    429,
    failed('Retry in 7 seconds'),
    { kind: 'refused', code: 'maker_rate_limited', again: 'after', retryAfterMs: 7_000 },
  ],
  [
    'an expired token',
    'lock',
    401,
    failed('token expired (401)'),
    { kind: 'refused', again: 'with_fresh_token' },
  ],
  ['a lost login', 'lock', 401, failed('login_required'), { kind: 'refused', again: 'never' }],
  [
    'a vehicle that wants signatures',
    'lock',
    403,
    failed('Tesla Vehicle Command Protocol required, please refer to the documentation here: x'),
    {
      kind: 'refused',
      code: 'precondition_failed',
      protocolRequired: true,
      message: expect.stringContaining('ODOGRAPH_COMMAND_PROXY_URL'),
    },
  ],
  [
    'a key that is not paired',
    'lock',
    500,
    failed('vehicle rejected request: your public key has not been paired with the vehicle'),
    { kind: 'refused', code: 'precondition_failed' },
  ],
  [
    'a wrong parameter by the proxy',
    'set_volume',
    400,
    { ...result('missing volume param'), error: '' },
    { kind: 'refused', code: 'maker_error', reason: 'missing volume param' },
  ],
  ['an error of the maker', 'lock', 500, failed('upstream internal error'), { kind: 'unknown' }],
  ['a gateway that gave up', 'lock', 504, 'gone', { kind: 'unknown' }],
  ['an answer that is none', 'lock', 200, '<html>', { kind: 'unknown' }],
];

async function outcomeAt(baseUrl: string, name: CommandName, timeoutMs = 2_000) {
  const api = makerApi({ baseUrl, token, clock, timeoutMs, gate: open });
  return outcomeOf(await api.command(vin, 'door_lock', {}), commandRow(name));
}

describe('what an answer means', () => {
  it.each(cases)('for %s', async (_title, name, status, body, expected) => {
    const { baseUrl } = await standIn(always(status, body));
    expect(await outcomeAt(baseUrl, name)).toMatchObject(expected);
  });

  it('is unknown where nobody answers after the request was sent', async () => {
    const silent = await standIn(() => {});
    expect(await outcomeAt(silent.baseUrl, 'lock', 80)).toMatchObject({ kind: 'unknown' });
    const broken = await standIn((_seen, response) => response.destroy());
    expect(await outcomeAt(broken.baseUrl, 'lock')).toMatchObject({ kind: 'unknown' });
  });

  it('is a refusal where no connection came to be', async () => {
    expect(await outcomeAt(await closedPort(), 'lock')).toMatchObject({
      kind: 'refused',
      code: 'maker_unavailable',
      again: 'later',
    });
  });
});

describe('the signing proxy', () => {
  it('is sent what it knows, and the maker the rest', async () => {
    const proxy = await standIn(always(200, result('', true)));
    const maker = await standIn(always(200, result('', true)));
    const signer = proxySigner({ baseUrl: maker.baseUrl, token, clock, gate: open }, proxy.baseUrl);
    const body = { on: true };
    await signer.send(vin, { command: 'set_sentry_mode', signing: 'INFOTAINMENT', body });
    await signer.send(vin, { command: 'door_lock', signing: 'SECURITY', body: {} });
    await signer.send(vin, { command: 'sun_roof_control', signing: 'PROXYLESS', body: {} });
    await signer.send(vin, { command: 'navigation_request', signing: 'REST', body: {} });
    const names = (seen: { url: string }[]) => seen.map(({ url }) => url.split('/').at(-1));
    expect(names(proxy.seen)).toEqual(['set_sentry_mode', 'door_lock']);
    expect(names(maker.seen)).toEqual(['sun_roof_control', 'navigation_request']);
    expect(proxy.seen[0]).toMatchObject({
      method: 'POST',
      url: `/api/1/vehicles/${vin}/command/set_sentry_mode`,
      body: JSON.stringify(body),
    });
  });
});
