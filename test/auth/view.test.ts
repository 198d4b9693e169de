import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Principal } from '../../src/auth/principal.ts';
import { anyoneOf, viewOf } from '../../src/auth/view.ts';
import { scopes } from '../../src/contract/scopes.ts';

const precisions = ['EXACT', 'APPROXIMATE', 'HIDDEN'] as const;

const principals: fc.Arbitrary<Principal> = fc.record({
  accountId: fc.constantFrom('a', 'b'),
  vehicleIds: fc.option(fc.uniqueArray(fc.constantFrom('v', 'w', 'x'), { minLength: 1 })),
  scopes: fc.subarray([...scopes]).map((held) => new Set(held)),
  locationPrecision: fc.constantFrom(...precisions),
  commandGroups: fc.option(fc.uniqueArray(fc.constantFrom('doors', 'media'), { minLength: 1 })),
  credential: fc.record({
    kind: fc.constant('TOKEN' as const),
    id: fc.uuid(),
    name: fc.string(),
  }),
  expiresAt: fc.nat(),
});

/** What the caller may see, as the rules of the service read it. */
function rights(principal: Principal): unknown {
  const { accountId, vehicleIds, scopes: held, locationPrecision, commandGroups } = principal;
  const vehicles = vehicleIds === null ? 'all' : [...vehicleIds].sort();
  const groups = commandGroups === null ? 'all' : [...commandGroups].sort();
  return { accountId, vehicles, scopes: [...held].sort(), groups, locationPrecision };
}

describe('the view of a caller', () => {
  it('is equal for callers who may see the same, and for no others', () => {
    fc.assert(
      fc.property(principals, principals, (one, other) => {
        const same = JSON.stringify(rights(one)) === JSON.stringify(rights(other));
        expect(viewOf(one) === viewOf(other)).toBe(same);
      }),
    );
  });

  it('is the same whatever the order of scopes and vehicles, and whoever holds it', () => {
    fc.assert(
      fc.property(principals, principals, (one, { credential, expiresAt }) => {
        const turned = {
          ...one,
          scopes: new Set([...one.scopes].reverse()),
          vehicleIds: one.vehicleIds === null ? null : [...one.vehicleIds].reverse(),
        };
        expect(viewOf({ ...turned, credential, expiresAt })).toBe(viewOf(one));
      }),
    );
  });

  it('of nobody is that of no caller', () => {
    fc.assert(fc.property(principals, (one) => viewOf(one) !== viewOf(null)));
  });
});

describe('anyone of a view', () => {
  it('sees what each of them sees and has no credential to tell', () => {
    fc.assert(
      fc.property(principals, (one) => {
        const anyone = anyoneOf(one);
        if (anyone === null) throw new Error('Nobody.');
        expect(rights(anyone)).toEqual(rights(one));
        expect(() => anyone.credential).toThrow('cannot depend on the credential');
        expect(() => anyone.expiresAt).toThrow('cannot depend on the credential');
      }),
    );
  });
});
