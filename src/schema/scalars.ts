import { GraphQLError, Kind, type ValueNode } from 'graphql';
import { ServiceError } from '../base/errors.ts';
import { SECOND_MS } from '../base/units.ts';
import { isScope } from '../contract/scopes.ts';
import { builder } from './builder.ts';

const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

const expected = 'Give RFC 3339 with a time zone, such as 2026-03-01T08:00:00Z, or unix seconds.';

function refuse(): never {
  throw new ServiceError('validation_failed', `This is no point in time. ${expected}`);
}

/**
 * Epoch ms of RFC 3339 text or of unix seconds. Throws `validation_failed` for anything
 * else and for dates that do not exist, such as 2026-02-30.
 */
export function instantOf(value: unknown): number {
  if (typeof value === 'number')
    return Number.isFinite(value) ? inRange(value * SECOND_MS) : refuse();
  if (typeof value !== 'string') return refuse();
  if (/^\d{1,12}$/.test(value)) return inRange(Number(value) * SECOND_MS);
  const parts = rfc3339.exec(value);
  if (parts === null) return refuse();
  const [, year, month, date, hour, minute, second, fraction = '', sign, offsetH, offsetM] = parts;
  const numbers = [year, month, date, hour, minute, second].map(Number);
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0] = numbers;
  const local = Date.UTC(y, mo - 1, d, h, mi, Math.min(s, 59));
  const back = new Date(local);
  // Date.UTC carries what is out of range over into the next month or day: then the date does not exist.
  const exists =
    back.getUTCFullYear() === y &&
    back.getUTCMonth() === mo - 1 &&
    back.getUTCDate() === d &&
    back.getUTCHours() === h &&
    back.getUTCMinutes() === mi &&
    s <= 60;
  const offsetMin = Number(offsetH ?? 0) * 60 + Number(offsetM ?? 0);
  if (!exists || Number(offsetH ?? 0) > 23 || Number(offsetM ?? 0) > 59) return refuse();
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return inRange(local + milliseconds - (sign === '-' ? -1 : 1) * offsetMin * 60 * SECOND_MS);
}

function inRange(ms: number): number {
  const whole = Math.round(ms);
  return whole >= 0 && whole < 253_402_300_800_000 ? whole : refuse();
}

function literalOf(node: ValueNode): unknown {
  if (node.kind === Kind.STRING) return node.value;
  if (node.kind === Kind.INT || node.kind === Kind.FLOAT) return Number(node.value);
  return undefined;
}

builder.scalarType('DateTime', {
  description: `A point in time, answered as RFC 3339 in UTC with milliseconds. ${expected}`,
  serialize: (value) => new Date(value).toISOString(),
  parseValue: instantOf,
  parseLiteral: (node) => {
    try {
      return instantOf(literalOf(node));
    } catch (error) {
      throw new GraphQLError(error instanceof Error ? error.message : '', {
        nodes: node,
        originalError: error instanceof Error ? error : undefined,
      });
    }
  },
});

builder.scalarType('Decimal', {
  description: 'An exact decimal number as text, such as "12.50".',
  serialize: (value) => value.toString(),
});

builder.scalarType('JSON', {
  description: 'Any JSON value.',
  serialize: (value) => value,
});

builder.scalarType('Scope', {
  description: 'One of the five scopes of the service, such as `vehicles` or `mcp:use`.',
  serialize: (value) => value,
  parseValue: (value) => {
    if (typeof value === 'string' && isScope(value)) return value;
    throw new ServiceError('validation_failed', 'This is no scope of the service.');
  },
});
