import type { Clock } from '../base/clock.ts';
import type { Counted } from './allowance.ts';
import type { ConsentDesk } from './consent.ts';
import type { CallKind, Effect } from './faults.ts';
import { carsOf, operations } from './maker-api.ts';
import type { Garage, Operation } from './maker-call.ts';
import { isApplication } from './partner.ts';
import { failure, type Reply } from './reply.ts';
import type { Car } from './state.ts';
import type { Bearer, TokenDesk } from './tokens.ts';

/** A request as far as the stand-in reads it; `body` is the text of a form or of JSON. */
export type Asked = {
  method: string;
  url: URL;
  authorization: string | null;
  contentType: string | null;
  body: string;
};

/** What comes of a request: an answer, and what faults do to its way back. */
export type Outcome = { reply: Reply; effects: readonly Effect[] };

/** What decides an outcome; `now` is simulated time. */
export type Desk = {
  garage: Garage;
  tokens: TokenDesk;
  consent: ConsentDesk;
  now: Clock;
  calls: Record<CallKind, number>;
  countData: (vin: string) => Counted;
  /** The last data answer of each car, for a maker that repeats itself. */
  lastData: Map<string, Reply>;
};

const TOKEN_PATH = '/oauth2/v3/token';
const AUTHORIZE_PATH = '/oauth2/v3/authorize';

function carOfTag(garage: Garage, tag: string | null): Car | null {
  return garage.cars.find(({ spec }) => spec.vin === tag || spec.id.toString() === tag) ?? null;
}

function bearerOf(tokens: TokenDesk, authorization: string | null): Bearer | Reply {
  const token = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
  const bearer = token === undefined ? 'invalid bearer token' : tokens.read(token);
  return typeof bearer === 'string' ? failure(401, bearer) : bearer;
}

function permitted({ scopes, partner = false }: Operation, bearer: Bearer): boolean {
  if (partner !== isApplication(bearer.subject)) return false;
  return scopes.length === 0 || scopes.some((scope) => bearer.scopes.includes(scope));
}

async function answered(
  desk: Desk,
  asked: Asked,
  found: { operation: Operation; car: Car | null },
): Promise<Reply> {
  const { garage, tokens } = desk;
  const { operation, car } = found;
  if (operation.method === 'POST' && !asked.contentType?.startsWith('application/json')) {
    return failure(406, 'not_acceptable');
  }
  const bearer = bearerOf(tokens, asked.authorization);
  if ('status' in bearer) return bearer;
  if (!permitted(operation, bearer)) return failure(403, 'Unauthorized missing scopes');
  const visible = car !== null && carsOf(garage, bearer).includes(car) ? car : null;
  const call = {
    garage,
    bearer,
    nowMs: desk.now(),
    url: asked.url,
    car: visible,
    body: asked.body,
  };
  if (operation.kind !== 'data' || visible === null) return operation.answer(call);
  const counted = desk.countData(visible.spec.vin);
  const late = { ...counted.headers, 'retry-after': String(counted.resetS) };
  if (!counted.allowed) return failure(429, `Retry in ${counted.resetS} seconds`, late);
  return { ...(await operation.answer(call)), headers: counted.headers };
}

function hollowed(reply: Reply): Reply {
  const empty = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || !('response' in value)) return value;
    const response = Object.entries(value.response ?? {}).map(([name, part]) => [
      name,
      name.endsWith('_state') ? null : part,
    ]);
    return { ...value, response: Object.fromEntries(response) };
  };
  return { ...reply, body: empty(reply.body) };
}

function spoiled(desk: Desk, reply: Reply, spoil: { by: readonly Effect[]; vin: string }): Reply {
  const has = (kind: Effect['spoil']) => spoil.by.some((effect) => effect.spoil === kind);
  if (has('stale')) return desk.lastData.get(spoil.vin) ?? reply;
  if (reply.status === 200) desk.lastData.set(spoil.vin, reply);
  return has('hollow') ? hollowed(reply) : reply;
}

async function onOperation(desk: Desk, asked: Asked): Promise<Outcome> {
  const { pathname } = asked.url;
  const there = operations.filter((each) => each.path.test(pathname));
  const operation = there.find((each) => each.method === asked.method);
  if (operation === undefined) {
    const reply = there.length > 0 ? failure(405, 'invalid_method') : failure(404, 'not_found');
    return { reply, effects: [] };
  }
  desk.calls[operation.kind] += 1;
  const car = carOfTag(desk.garage, operation.path.exec(pathname)?.[1] ?? null);
  const effects = desk.garage.faults.hit(operation.kind, car?.spec.vin ?? null);
  const instead = effects.find((effect) => effect.reply !== undefined)?.reply;
  const reply = instead ?? (await answered(desk, asked, { operation, car }));
  if (operation.kind !== 'data' || car === null || instead) return { reply, effects };
  return { reply: spoiled(desk, reply, { by: effects, vin: car.spec.vin }), effects };
}

function tokenReply({ consent, tokens }: Desk, form: URLSearchParams): Reply {
  switch (form.get('grant_type')) {
    case 'authorization_code':
      return consent.trade(form);
    case 'client_credentials':
      return consent.tradeSecret(form);
    default:
      return tokens.answer(form);
  }
}

function onTokens(desk: Desk, asked: Asked): Outcome {
  desk.calls.token += 1;
  if (asked.method !== 'POST') return { reply: failure(405, 'invalid_method'), effects: [] };
  const effects = desk.garage.faults.hit('token', null);
  const instead = effects.find((effect) => effect.reply !== undefined)?.reply;
  const form = new URLSearchParams(asked.body);
  const reply = instead ?? tokenReply(desk, form);
  const failed = effects.some((effect) => effect.spoil === 'failed');
  return { reply: failed ? failure(500, 'upstream internal error') : reply, effects };
}

function onConsent(desk: Desk, asked: Asked): Outcome {
  desk.calls.authorize += 1;
  if (asked.method !== 'GET') return { reply: failure(405, 'invalid_method'), effects: [] };
  const effects = desk.garage.faults.hit('authorize', null);
  const instead = effects.find((effect) => effect.reply !== undefined)?.reply;
  return { reply: instead ?? desk.consent.page(asked.url), effects };
}

/** Answers one request; the cars have been moved on to the present before. */
export async function exchange(desk: Desk, asked: Asked): Promise<Outcome> {
  const { pathname } = asked.url;
  if (pathname === TOKEN_PATH) return onTokens(desk, asked);
  if (pathname === AUTHORIZE_PATH) return onConsent(desk, asked);
  if (pathname !== '/status') return onOperation(desk, asked);
  desk.calls.status += 1;
  const effects = desk.garage.faults.hit('status', null);
  const instead = effects.find((effect) => effect.reply !== undefined)?.reply;
  return { reply: instead ?? { status: 200, body: 'ok' }, effects };
}
