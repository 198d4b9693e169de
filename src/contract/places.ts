/** What a place may be (contract §6). */
export const placeLimits = {
  /** Radius of a circle [m]. */
  radiusM: { min: 20, max: 5_000 },
  corners: { min: 3, max: 500 },
  /** Longer side of the box around a polygon [m]. */
  spanM: 100_000,
  /** Smallest polygon: about that of the smallest circle [m²]. */
  areaM2: 1_000,
  /** Places of an account. */
  count: 500,
} as const;

/** What tags may be (contract §3). */
export const tagLimits = { count: 10, length: 40 } as const;
