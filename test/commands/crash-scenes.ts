import type { Fault } from '../../src/simulator/faults.ts';

/** A command, the state in which its service is killed, and what the next start has to make of it. */
export type Scene = {
  car: 'HOME' | 'OTHER';
  name: string;
  params: object;
  fault?: Omit<Fault, 'vin'>;
  killedIn: string;
  afterwards: { state: string; attempts: number };
};

const silent = { kind: 'hang', on: ['command'] } as const;

/** Commands under way at the moment of a kill, by scene; those of one car stand in each other's way. */
export const scenes: ReadonlyMap<string, readonly Scene[]> = new Map([
  [
    'sent once, queued and waking',
    [
      {
        car: 'HOME',
        name: 'honk_horn',
        params: {},
        fault: silent,
        killedIn: 'SENDING',
        afterwards: { state: 'UNKNOWN', attempts: 1 },
      },
      {
        car: 'HOME',
        name: 'set_charge_limit',
        params: { percent: 77 },
        killedIn: 'QUEUED',
        afterwards: { state: 'SUCCEEDED', attempts: 1 },
      },
      {
        car: 'OTHER',
        name: 'set_sentry_mode',
        params: { on: true },
        fault: { kind: 'asleep' },
        killedIn: 'WAKING',
        afterwards: { state: 'SUCCEEDED', attempts: 1 },
      },
    ],
  ],
  [
    'sent harmlessly, acknowledged, and one with a PIN',
    [
      {
        car: 'HOME',
        name: 'set_charge_limit',
        params: { percent: 78 },
        fault: silent,
        killedIn: 'SENDING',
        // It had happened, and the vehicle still shows it.
        afterwards: { state: 'SUCCEEDED', attempts: 1 },
      },
      {
        car: 'HOME',
        name: 'set_pin_to_drive',
        params: { on: true, pin: '1234' },
        killedIn: 'QUEUED',
        afterwards: { state: 'FAILED', attempts: 0 },
      },
      {
        // The garage tells its cars again what they were told: the vehicle shows it.
        car: 'OTHER',
        name: 'set_sentry_mode',
        params: { on: true },
        killedIn: 'ACKNOWLEDGED',
        afterwards: { state: 'SUCCEEDED', attempts: 1 },
      },
    ],
  ],
] satisfies [string, Scene[]][]);
