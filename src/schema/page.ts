import { ServiceError } from '../base/errors.ts';
import type { Position } from '../store/keyset.ts';

/** Rows of a page where nothing else is asked, and at most (contract §13). */
export const DEFAULT_PAGE_SIZE = 50;
export const LARGEST_PAGE_SIZE = 200;

/** The four arguments of every list (Relay cursor connections). */
export type PageArgs = {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
};

/** The list a cursor belongs to: its name, the thing it hangs on and the form of its rows' ids. */
export type ListOf = { name: string; parent: string; idType: 'uuid' | 'text' };

/** The part of a list that is asked for. */
export type Window = {
  size: number;
  fromEnd: boolean;
  after: Position | null;
  before: Position | null;
};

/** What is asked for. Throws `validation_failed`, naming the argument, for what cannot be. */
export function windowOf(list: ListOf, args: PageArgs): Window {
  if (args.first != null && args.last != null) {
    throw invalid('last', 'Give first or last, not both.');
  }
  const fromEnd = args.last != null;
  const size = args.last ?? args.first ?? DEFAULT_PAGE_SIZE;
  if (size < 1 || size > LARGEST_PAGE_SIZE) {
    throw invalid(fromEnd ? 'last' : 'first', `Give a number from 1 to ${LARGEST_PAGE_SIZE}.`);
  }
  return {
    size,
    fromEnd,
    after: args.after == null ? null : positionOf(list, 'after', args.after),
    before: args.before == null ? null : positionOf(list, 'before', args.before),
  };
}

function invalid(argument: string, sentence: string): ServiceError {
  return new ServiceError('validation_failed', `${argument}: ${sentence}`, {
    fields: { [argument]: [sentence] },
  });
}

/** The opaque text that stands for a place in a list (contract §13). */
export function cursorOf(list: ListOf, { key, id }: Position): string {
  return Buffer.from(JSON.stringify([list.name, list.parent, key, id])).toString('base64url');
}

function positionOf(list: ListOf, argument: string, cursor: string): Position {
  const parts = decoded(cursor);
  if (parts === null) throw invalid(argument, 'This is no cursor.');
  const [name, parent, key, id] = parts;
  if (name !== list.name || parent !== list.parent) {
    throw invalid(argument, 'This cursor belongs to another list.');
  }
  if (typeof key !== 'number' || !Number.isSafeInteger(key) || Math.abs(key) > 8.64e15) {
    throw invalid(argument, 'This is no cursor.');
  }
  if (typeof id !== 'string' || (list.idType === 'uuid' && !uuid.test(id)) || id.includes('\0')) {
    throw invalid(argument, 'This is no cursor.');
  }
  return { key, id };
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function decoded(cursor: string): unknown[] | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(parts) && parts.length === 4 ? parts : null;
  } catch {
    return null;
  }
}
