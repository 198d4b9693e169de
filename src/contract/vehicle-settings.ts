/** What each setting of a vehicle is until a person says otherwise (contract §2); a test holds the table's columns to it. */
export const settingDefaults = {
  logging: true,
  sleepAware: true,
  pollProfile: 'NORMAL',
  budget: null,
  allowUnlock: false,
  allowControls: true,
  calculateCost: true,
  locationPrecision: 'EXACT',
  leftOpenMinutes: 10,
} as const;

/** The longest time after which it can be told that a vehicle was left open [min]. */
export const MOST_LEFT_OPEN_MINUTES = 60;

/** Bounds of what a pack gives from full to empty [kWh]: the smallest and the largest that is sold, with room. */
export const packKwh = { least: 10, most: 300 } as const;
