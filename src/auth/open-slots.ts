import type { Principal } from './principal.ts';

/** Places for what stays open, such as sockets: so many for each credential, so many for each address without one. */
export type OpenSlots = {
  /** Takes a place; returns how to give it back, or null where all are taken. */
  take: (principal: Principal | null, address: string | null) => (() => void) | null;
};

/** Such places, of this process. */
export function createOpenSlots(most: { credential: number; address: number }): OpenSlots {
  const taken = new Map<string, number>();
  return {
    take(principal, address) {
      const [key, limit] =
        principal === null
          ? [`address ${address}`, most.address]
          : [principal.credential.id, most.credential];
      const count = taken.get(key) ?? 0;
      if (count >= limit) return null;
      taken.set(key, count + 1);
      let given = false;
      return () => {
        if (given) return;
        given = true;
        const rest = (taken.get(key) ?? 1) - 1;
        if (rest === 0) taken.delete(key);
        else taken.set(key, rest);
      };
    },
  };
}
