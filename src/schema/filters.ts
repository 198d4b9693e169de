import { ServiceError } from '../base/errors.ts';
import { type IdType, uuidOf } from '../base/ids.ts';
import { Prisma } from '../store/generated/prisma/client.ts';

/** Conditions on the row `t` of a list; null where a filter does not speak of it. */
export type Conditions = (Prisma.Sql | null)[];

/** The conditions that hold at once. */
export function conditions(parts: Conditions): Prisma.Sql[] {
  return parts.filter((part) => part !== null);
}

const column = (name: string) => Prisma.raw(`t."${name}"`);

/** Rows whose `name` lies in [from, to), in epoch ms. */
export function between(
  name: string,
  from: number | null | undefined,
  to: number | null | undefined,
): Prisma.Sql | null {
  const parts = conditions([
    from == null ? null : Prisma.sql`${column(name)} >= ${new Date(from)}::timestamptz`,
    to == null ? null : Prisma.sql`${column(name)} < ${new Date(to)}::timestamptz`,
  ]);
  return parts.length === 0 ? null : Prisma.join(parts, ' AND ');
}

/** Rows whose number `name` is at least `min` and at most `max`. */
export function within(
  name: string,
  min: number | null | undefined,
  max: number | null | undefined,
): Prisma.Sql | null {
  const parts = conditions([
    min == null ? null : Prisma.sql`${column(name)} >= ${min}`,
    max == null ? null : Prisma.sql`${column(name)} <= ${max}`,
  ]);
  return parts.length === 0 ? null : Prisma.join(parts, ' AND ');
}

/** Rows whose `name` is one of the words. */
export function oneOf(
  name: string,
  words: readonly string[] | null | undefined,
): Prisma.Sql | null {
  return words == null ? null : Prisma.sql`${column(name)}::text = ANY(${[...words]}::text[])`;
}

/** Rows whose `name` is the value. */
export function equal(name: string, value: boolean | string | null | undefined): Prisma.Sql | null {
  return value == null ? null : Prisma.sql`${column(name)} = ${value}`;
}

/** Stored id behind a public one in a filter. Throws `validation_failed`, naming the field, where it is none of the type. */
export function filteredId(type: IdType, id: string, field: string): string {
  const uuid = uuidOf(type, id);
  if (uuid !== null) return uuid;
  const sentence = `This is no id of a ${type.toLowerCase()}.`;
  throw new ServiceError('validation_failed', `${field}: ${sentence}`, {
    fields: { [field]: [sentence] },
  });
}

/** Rows that point to the thing with a public id. */
export function pointsTo(
  name: string,
  type: IdType,
  id: string | null | undefined,
  field: string,
): Prisma.Sql | null {
  return id == null ? null : Prisma.sql`${column(name)} = ${filteredId(type, id, field)}::uuid`;
}

/** Rows that carry, or do not carry, a tag; those whose tags may not be told by `told` carry none. */
export function tagged(
  tag: string | null | undefined,
  notTag: string | null | undefined,
  told: Prisma.Sql = Prisma.sql`true`,
): Prisma.Sql | null {
  const carries = (one: string) => Prisma.sql`(${one}::text = ANY(t.tags) AND ${told})`;
  const parts = conditions([
    tag == null ? null : carries(tag),
    notTag == null ? null : Prisma.sql`NOT ${carries(notTag)}`,
  ]);
  return parts.length === 0 ? null : Prisma.join(parts, ' AND ');
}

/** Rows that last, or lasted, at some moment in [from, to), in epoch ms; what has no end still lasts. */
export function overlapping(
  from: number | null | undefined,
  to: number | null | undefined,
): Prisma.Sql | null {
  const parts = conditions([
    from == null
      ? null
      : Prisma.sql`(t.ended_at > ${new Date(from)}::timestamptz OR t.ended_at IS NULL)`,
    to == null ? null : Prisma.sql`t.started_at < ${new Date(to)}::timestamptz`,
  ]);
  return parts.length === 0 ? null : Prisma.join(parts, ' AND ');
}
