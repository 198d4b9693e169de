import type { FormatName } from './formats/format.ts';
import type { Operations } from './generated/operations.ts';

/** Where the answer of a route stands in the result of its operation, by GraphQL names. */
export type Answer =
  /** A thing that must be there: 404 where anything on the way to it is null. */
  | { kind: 'thing'; at: string }
  /** A part of a thing, which may be unknown: 404 only where the thing, the first name, is null. */
  | { kind: 'part'; at: string }
  /** The first of a list, which may be empty: 404 only where the thing, the first name, is null. */
  | { kind: 'first'; at: string }
  /** A list in pages: a connection. */
  | { kind: 'page'; at: string }
  /** A whole list. */
  | { kind: 'list'; at: string }
  /** A command: 200 where it succeeded, 202 while it is under way, else the status of its failure (contract §0). */
  | { kind: 'command'; at: string }
  /** A command in the shape of the maker's own interface (contract §11). */
  | { kind: 'maker'; at: string };

/** Chapters of the documentation. */
export type Tag =
  | 'Vehicles'
  | 'Drives'
  | 'Charges'
  | 'Trips'
  | 'Places'
  | 'Tariffs'
  | 'Account'
  | 'Webhooks'
  | 'Software'
  | 'Commands';

/** A documented path with one method: what it runs and what of the result it answers. */
export type Route = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** As Fastify spells it: a segment `:name` is a parameter. */
  path: `/api/${string}`;
  /** Operation in `schema/operations`; its variables become parameters of the same name (`parameters.ts`). */
  operation: keyof Operations;
  answer: Answer;
  tag: Tag;
  summary: string;
  /** What the summary leaves out. */
  description?: string;
  /** Whether this GET changes something: a browser that another site sends here can do nothing else. */
  changes?: true;
  /** Whether a vehicle maker is asked for the answer, which brings its failures with it. */
  asksMaker?: true;
  /** Whether it edits history, where something else may stand in the way: 409. */
  edits?: true;
  /** Whether unknown parameters are passed over, because another site writes the address. */
  lenient?: true;
  /** Whether a browser, which likes HTML better than JSON, is answered with a page. */
  page?: true;
  /** The path that answers the same and is to be preferred, or POST where this is PATCH. */
  aliasOf?: string;
  /** Answers from the program alone, whatever the database does. */
  constant?: true;
  /** Takes the legacy `api_key` (contract §19). */
  apiKey?: true;
  /** The field that pages are sorted by, in REST words; only where the order can be chosen. */
  sortedBy?: string;
  /** Least and greatest value of number parameters that have bounds. */
  ranges?: { readonly [parameter: string]: readonly [number, number] };
  /** What segments of the path look like; anything else is not found. */
  patterns?: { readonly [parameter: string]: string };
  /** What the JSON body is: the parameters of a command, which may stand in the query too, or the maker's own body. */
  sends?: 'params' | 'maker_body';
  /** The fields that `compact=1` answers. */
  compact?: readonly string[];
  /** Forms besides JSON that `format` offers. */
  formats?: readonly FormatName[];
  /**
   * Answers all of a list, however long, as it is read: the operation is asked again with this variable set to what stands at
   * `next`, until that is null.
   */
  streams?: { variable: string; next: string };
  /** The parameter that chooses between two forms of the answer, with the field it answers instead of the object. */
  bare?: { unless: string; field: string };
};

/** Whether a route only reads. */
export function reads({ method, changes }: Route): boolean {
  return method === 'GET' && changes !== true;
}
