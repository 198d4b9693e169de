/** Digits of an amount: a signal costs some millionths of the major unit. */
const MOST_DIGITS = 6;
/** Digits that an amount has at least. */
const LEAST_DIGITS = 2;

/** An amount in major units as a decimal text, such as `0.50` or `0.000007`. */
export function moneyText(amount: number): string {
  const [whole = '0', fraction = ''] = amount.toFixed(MOST_DIGITS).split('.');
  return `${whole}.${fraction.replace(/0+$/, '').padEnd(LEAST_DIGITS, '0')}`;
}
