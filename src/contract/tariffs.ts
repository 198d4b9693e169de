/** Days of a week as a rule names them, by their place in it: Sunday is 0, as in `Date`. */
export const weekDays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const;

export type WeekDay = (typeof weekDays)[number];

/** A price that holds at some times; what it leaves out costs nothing, but energy costs the tariff's default. */
export type TariffRule = {
  /** Days on which its time begins; every day when null. */
  days: readonly WeekDay[] | null;
  /** Minutes after local midnight; an end that is not after the start is on the next day. */
  startMinute: number;
  endMinute: number;
  /** Months in which its time begins, 1 to 12; every month when null. */
  months: readonly number[] | null;
  /** Prices in major units of the currency, as decimals. */
  ratePerKwh: string | null;
  /** For every minute in which energy flows. */
  ratePerMin: string | null;
  /** Once for a charge that begins while the rule holds. */
  sessionFee: string | null;
  /** For every minute plugged in after the last energy. */
  idleFeePerMin: string | null;
};

/** What a price is made of: a tariff without its name and places. */
export type Prices = {
  currency: string;
  /** IANA time zone that the rules are meant in. */
  timezone: string;
  /** Price of a kWh where no rule says one, in major units, as a decimal. */
  defaultRate: string;
  /** The first one that holds counts. */
  rules: readonly TariffRule[];
};

export const tariffLimits = { rules: 50, count: 200, decimals: 6 } as const;

/** What a line of a cost stands for. */
export type CostLineKind = 'ENERGY' | 'TIME' | 'SESSION' | 'IDLE';

/** A part of a cost, over a stretch of time with one price; times are epoch ms. */
export type CostLine = {
  kind: CostLineKind;
  from: number;
  to: number;
  /** Energy of the stretch [kWh]; null where it does not count. */
  kwh: number | null;
  /** Price per kWh, per minute or at once, in major units, as a decimal. */
  rate: string;
  amountMinor: number;
};
