import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excessOver, type Grant } from '../../src/auth/grant.ts';
import { scopes } from '../../src/contract/scopes.ts';

const holder: Grant = {
  scopes: new Set(['vehicles', 'account'] as const),
  vehicleIds: ['a', 'b'],
  locationPrecision: 'APPROXIMATE',
  commandGroups: null,
  expiresAt: 1_000,
};

const grants: fc.Arbitrary<Grant> = fc.record({
  scopes: fc.subarray([...scopes]),
  vehicleIds: fc.option(fc.subarray(['a', 'b', 'c'], { minLength: 1 })),
  locationPrecision: fc.constantFrom('EXACT', 'APPROXIMATE', 'HIDDEN'),
  commandGroups: fc.option(fc.subarray(['climate', 'charging', 'doors'], { minLength: 1 })),
  expiresAt: fc.nat(3),
});

/** Grants that are often, not always, within another. */
function lesserThan(grant: Grant): fc.Arbitrary<Grant> {
  const ids = [...(grant.vehicleIds ?? ['a', 'b', 'c'])];
  const groups = [...(grant.commandGroups ?? ['climate', 'charging', 'doors'])];
  return fc.record({
    scopes: fc.subarray([...grant.scopes]),
    vehicleIds: fc.option(fc.subarray(ids, { minLength: 1 }), { freq: 4 }),
    locationPrecision: fc.constantFrom('HIDDEN', 'APPROXIMATE', grant.locationPrecision),
    commandGroups: fc.option(fc.subarray(groups, { minLength: 1 }), { freq: 4 }),
    expiresAt: fc.nat(grant.expiresAt),
  });
}

describe('a credential that makes another', () => {
  it('may give all that it has itself', () => {
    fc.assert(
      fc.property(grants, (grant) => {
        expect(excessOver(grant, grant)).toBeNull();
      }),
    );
  });

  it.each([
    ['scopes', { ...holder, scopes: ['vehicles', 'controls'] }],
    ['vehicleIds', { ...holder, vehicleIds: ['a', 'c'] }],
    ['vehicleIds', { ...holder, vehicleIds: null }],
    ['locationPrecision', { ...holder, locationPrecision: 'EXACT' }],
    ['expiresInDays', { ...holder, expiresAt: 1_001 }],
  ] satisfies [string, Grant][])('is refused more of %s', (field, wanted) => {
    expect(Object.keys(excessOver(holder, wanted) ?? {})).toEqual([field]);
  });

  it('gives the commands of its own groups only, to what may send any', () => {
    const climate: Grant = { ...holder, scopes: ['controls'], commandGroups: ['climate'] };
    for (const commandGroups of [null, ['climate', 'doors']]) {
      const excess = excessOver(climate, { ...climate, commandGroups });
      expect(Object.keys(excess ?? {})).toEqual(['commandGroups']);
      expect(excessOver(climate, { ...climate, scopes: [], commandGroups })).toBeNull();
    }
  });

  it('may give less of everything', () => {
    const less: Grant = {
      scopes: [],
      vehicleIds: ['b'],
      locationPrecision: 'HIDDEN',
      commandGroups: ['climate'],
      expiresAt: 1,
    };
    expect(excessOver(holder, less)).toBeNull();
  });

  it('gains nothing through a chain of credentials', () => {
    const chain = grants.chain((first) =>
      lesserThan(first).chain((second) =>
        lesserThan(second).map((third) => ({ first, second, third })),
      ),
    );
    fc.assert(
      fc.property(chain, ({ first, second, third }) => {
        fc.pre(excessOver(first, second) === null && excessOver(second, third) === null);
        expect(excessOver(first, third)).toBeNull();
      }),
    );
  });
});
