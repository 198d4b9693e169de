/** What the maker tells of a vehicle apart from its state; instants in epoch milliseconds. */

/** An alert as the maker tells it; `raisedAt` is null where the maker gives no time. */
export type AlertTold = {
  name: string;
  raisedAt: number | null;
  audiences: string[];
  text: string | null;
};

/** Somebody who may drive. */
export type DriverTold = { makerUserId: string; firstName: string | null; lastName: string | null };

/** A plan that is kept on the vehicle: `days` adds up 1 for Sunday to 64 for Saturday, minutes are after local midnight. */
export type ScheduleTold = {
  kind: 'CHARGE' | 'PRECONDITION';
  number: number;
  name: string | null;
  days: number;
  enabled: boolean;
  oneTime: boolean;
  startMinute: number | null;
  endMinute: number | null;
  latitude: number | null;
  longitude: number | null;
};

/** What was learned; null is what was not. */
export type Particulars = {
  alerts: AlertTold[] | null;
  drivers: DriverTold[] | null;
  schedules: ScheduleTold[] | null;
};
