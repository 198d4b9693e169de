import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fault } from '../../src/simulator/faults.ts';
import { at } from '../schema/ask.ts';
import { type CommandService, commandService } from './command-service.ts';
import { clientNames, expectLive, type Watch, watch } from './watching.ts';

/** How long a vehicle may take to wake [ms]: all clients follow their commands before it is over. */
const WAKE_LIMIT_MS = 8_000;

let service: CommandService;
let owner = '';
beforeAll(async () => {
  service = await commandService({}, { wakeLimit: WAKE_LIMIT_MS });
  owner = await service.service.token({ scopes: ['maker-accounts'] });
});
beforeEach(async () => {
  await service.ready();
  await budget(null);
});
const open: Watch[] = [];
afterEach(() => Promise.all(open.splice(0).map((one) => one[Symbol.asyncDispose]())));
afterAll(() => service?.[Symbol.asyncDispose]());

/** Sets how many commands the maker account may pay for in the month. */
async function budget(commandLimit: number | null): Promise<void> {
  const listed = await (await service.service.get('/api/account/maker-accounts', owner)).json();
  const path = `/api/account/maker-accounts/${at(listed, 'response.0.id')}/budget`;
  const answer = await fetch(service.service.baseUrl + path, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${owner}`, 'content-type': 'application/json' },
    body: JSON.stringify({ command_limit: commandLimit }),
  });
  expect(answer.status).toBe(200);
}

async function send(client: (typeof clientNames)[number], input: object): Promise<Watch> {
  const door = { baseUrl: service.service.baseUrl, token: service.token };
  const watched = await watch(client, door, { publicId: service.publicId, ...input });
  open.push(watched);
  return watched;
}

/** Holds every command of the car back until it is woken: a command that is followed meanwhile is surely alive. */
function fallAsleep(): void {
  service.car.state.awake = false;
  service.simulator.setWakeTime('never');
}

function wakeUp(): void {
  const { state } = service.car;
  Object.assign(state, { awake: true, wakeAtMs: null, lastActivityMs: state.atMs });
}

describe('a command is sent and watched to its success', () => {
  it.each(clientNames.map((name, index) => [name, 60 + index] as const))(
    'by %s',
    async (client, percent) => {
      fallAsleep();
      const watched = await send(client, { name: 'set_charge_limit', params: { percent } });
      await watched.seen('WAKING');
      wakeUp();
      const ended = await watched.ended;
      expectLive(ended);
      expect(ended.states.at(-1)).toBe('SUCCEEDED');
    },
  );
});

describe('every client watches a command to its honest end', () => {
  type Case = {
    name: string;
    fault: Fault | 'never wakes' | 'no budget left';
    /** Of several commands the first may end in another way than those that learn from it. */
    ends: string[];
    code: string;
  };
  it.each<[string, Case]>([
    [
      'a vehicle that never wakes',
      {
        name: 'flash_lights',
        fault: 'never wakes',
        ends: ['TIMED_OUT'],
        code: 'vehicle_unavailable',
      },
    ],
    [
      'a refusal with its reason',
      {
        name: 'flash_lights',
        fault: { kind: 'refused', reason: 'user_present' },
        ends: ['FAILED'],
        code: 'precondition_failed',
      },
    ],
    [
      'no answer after it was sent',
      {
        name: 'honk_horn',
        fault: { kind: 'hang', on: ['command'] },
        ends: ['UNKNOWN'],
        code: 'maker_timeout',
      },
    ],
    [
      'a vehicle that takes signed commands only',
      {
        name: 'flash_lights',
        fault: { kind: 'protocol_required' },
        ends: ['FAILED'],
        code: 'precondition_failed',
      },
    ],
    [
      'a budget that is used up before it is sent',
      {
        name: 'flash_lights',
        fault: 'no budget left',
        ends: ['REJECTED'],
        code: 'budget_exhausted',
      },
    ],
    // The last one: it holds back what comes after it.
    [
      '429 from the maker',
      {
        name: 'flash_lights',
        fault: { kind: 'rate_limited', on: ['command'], retryAfterS: 500 },
        ends: ['FAILED', 'REJECTED'],
        code: 'maker_rate_limited',
      },
    ],
  ])('with %s', async (_what, { name, fault, ends, code }) => {
    fallAsleep();
    const watches = await Promise.all(clientNames.map((client) => send(client, { name })));
    await Promise.all(watches.map(({ first }) => first));
    if (typeof fault === 'object') service.simulator.fault(fault);
    if (fault === 'no budget left') await budget(0);
    if (fault !== 'never wakes') wakeUp();
    const found = await Promise.all(watches.map(({ ended }) => ended));
    for (const ended of found) {
      expectLive(ended);
      expect(ends).toContain(ended.states.at(-1));
      expect(ended.last).toMatchObject({ failure: { code } });
    }
    expect(found.map(({ states }) => states.at(-1))).toContain(ends[0]);
  });

  it.each(clientNames)('with no budget from the start, by %s', async (client) => {
    await budget(0);
    const { sent } = await send(client, { name: 'flash_lights' });
    expect(at(sent, 'errors.0.extensions.code')).toBe('BUDGET_EXHAUSTED');
  });
});
