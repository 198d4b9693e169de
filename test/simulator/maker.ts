import { advance } from '../../src/simulator/car.ts';
import { openGarage } from '../../src/simulator/garage.ts';
import {
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '../../src/simulator/server.ts';
import type { Car } from '../../src/simulator/state.ts';

/** A Thursday, 03:00 local time: both cars have been asleep at home for hours. */
const NIGHT = Date.UTC(2026, 10, 19, 2, 0);

/** A simulator whose clock the test turns, with a token for all scopes. */
export type Maker = {
  simulator: Simulator;
  turn: (byMs: number) => void;
  refreshToken: string;
  get: (path: string, accessToken?: string) => Promise<Response>;
  post: (path: string, headers?: Record<string, string>) => Promise<Response>;
  /** A command with its body, to the car of this VIN. */
  command: (vin: string, name: string, body: unknown) => Promise<Response>;
  refresh: (token: string) => Promise<Response>;
  vins: string[];
  [Symbol.asyncDispose]: () => Promise<void>;
};

let advanced: Car[] | null = null;

/** The cars on that night; brought there once, and to be copied. */
function atNight(): Car[] {
  if (advanced !== null) return advanced;
  advanced = openGarage({ seed: 'maker', untilMs: NIGHT, days: 5, showings: [] });
  for (const car of advanced) advance(car, NIGHT);
  return advanced;
}

/** Starts it on a quiet night, five days after the garage opened. */
export async function startMaker(options: Partial<SimulatorOptions> = {}): Promise<Maker> {
  let nowMs = NIGHT;
  const cars = atNight().map((car) => ({ ...car, state: structuredClone(car.state) }));
  const simulator = await startSimulator({ cars, clock: () => nowMs, seed: 'maker', ...options });
  const { accessToken, refreshToken } = simulator.seedTokens({ subject: 'person' });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const url = (path: string) => `${simulator.baseUrl}${path}`;
  const signal = () => AbortSignal.timeout(10_000);
  return {
    simulator,
    turn: (byMs) => {
      nowMs += byMs;
    },
    refreshToken,
    get: (path, token = accessToken) =>
      fetch(url(path), { headers: bearer(token), signal: signal() }),
    post: (path, headers = { 'content-type': 'application/json' }) =>
      fetch(url(path), {
        method: 'POST',
        headers: { ...bearer(accessToken), ...headers },
        signal: signal(),
      }),
    command: (vin, name, body) =>
      fetch(url(`/api/1/vehicles/${vin}/command/${name}`), {
        method: 'POST',
        headers: { ...bearer(accessToken), 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        signal: signal(),
      }),
    refresh: (token) => {
      const form = { grant_type: 'refresh_token', client_id: 'test', refresh_token: token };
      const body = new URLSearchParams(form);
      return fetch(simulator.tokenUrl, { method: 'POST', body, signal: signal() });
    },
    vins: cars.map((car) => car.spec.vin),
    [Symbol.asyncDispose]: simulator.close,
  };
}

/** The parsed body of an answer. */
export async function bodyOf(answer: Promise<Response>): Promise<unknown> {
  const body: unknown = await (await answer).json();
  return body;
}
