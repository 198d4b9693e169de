/** What each setting of a vehicle is until a person says otherwise (contract §2); a test holds the table's columns to it. */
export const settingDefaults = {
  logging: true,
  sleepAware: true,
  pollProfile: 'NORMAL',
  allowUnlock: false,
  allowControls: true,
  calculateCost: true,
  locationPrecision: 'EXACT',
} as const;

/** Bounds of what a pack gives from full to empty [kWh]: the smallest and the largest that is sold, with room. */
export const packKwh = { least: 10, most: 300 } as const;
