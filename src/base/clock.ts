/** Where the service gets the present from, in epoch milliseconds; injected so that decisions stay pure. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
