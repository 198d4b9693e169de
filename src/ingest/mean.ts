/** Running sums of a mean. */
export type Mean = { sum: number; count: number };

export const noMean: Mean = { sum: 0, count: 0 };

/** The sums with one more value, if it is known. */
export function added(mean: Mean, value: number | null | undefined): Mean {
  return value == null ? mean : { sum: mean.sum + value, count: mean.count + 1 };
}

/** The mean, or null of nothing. */
export function meanOf(mean: Mean): number | null {
  return mean.count === 0 ? null : mean.sum / mean.count;
}
