/** What the maker bills by, each with its name in settings and answers; a streamed signal is no call that could be refused. */
export const spendTable = {
  SIGNAL: { plural: 'signals', called: false },
  DATA: { plural: 'data', called: true },
  COMMAND: { plural: 'commands', called: true },
  WAKE: { plural: 'wakes', called: true },
} as const;

export type SpendCategory = keyof typeof spendTable;

/** The categories in which the service makes calls. */
export type CallCategory = Exclude<SpendCategory, 'SIGNAL'>;

/** Every category, in the order of the table. */
export const spendCategories = ['SIGNAL', 'DATA', 'COMMAND', 'WAKE'] as const satisfies SpendCategory[];

/** Units used in a month. */
export type Usage = Readonly<Record<SpendCategory, number>>;

/** How many units one major unit of the currency buys (maker.md §1.7). */
export type Prices = Readonly<Record<SpendCategory, number>>;

/** What may be used in a month: money in major units, and calls; null for no limit. */
export type Budget = { money: number | null; calls: Readonly<Record<CallCategory, number | null>> };

/** Part of a budget at whose use its person is told (maker.md §1.7). */
export const THRESHOLD = 0.8;

type Named<C extends SpendCategory> = { readonly [Each in C as (typeof spendTable)[Each]['plural']]: number };

/** Numbers by the names of settings, by category. */
export function byCategory({ signals, ...calls }: Named<SpendCategory>): Prices {
  return { SIGNAL: signals, ...byCall(calls) };
}

/** Numbers of calls by the names of settings, by category. */
export function byCall({ data, commands, wakes }: Named<CallCategory>): Record<CallCategory, number> {
  return { DATA: data, COMMAND: commands, WAKE: wakes };
}
