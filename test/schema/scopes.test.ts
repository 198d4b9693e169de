import { getNamedType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid, typeIdOf } from '../../src/base/ids.ts';
import { effectiveGrants, type Scope, type Surface, scopes } from '../../src/contract/scopes.ts';
import { nodeTypes } from '../../src/schema/global-id.ts';
import { schema } from '../../src/schema/index.ts';
import { type Alternatives, requiredBy, satisfies } from '../../src/schema/requires-scopes.ts';
import { commandArgs } from '../commands/command-args.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aPrincipal } from '../support/rows.ts';
import { answer, ask, at, codes } from './ask.ts';
import { isOfLinks, rootFields, rootOperation } from './documents.ts';
import { aWorld, type World } from './world.ts';

/** Who asks: without a credential, or with one of no scope, one scope or all of them. */
const callers: [string, Scope[] | null][] = [
  ['no token', null],
  ['a token without scopes', []],
  ...scopes.map((scope): [string, Scope[]] => [`a token with ${scope}`, [scope]]),
  ['a token with all scopes', [...scopes]],
];
const surfaces: Surface[] = ['api', 'mcp'];

const scopeWords = ['MISSING_TOKEN', 'INSUFFICIENT_SCOPE'];

describe('the scope matrix', () => {
  let db: ScratchDatabase;
  let world: World;
  beforeAll(async () => {
    db = await scratchDatabase('embedded');
    world = await aWorld(db.prisma);
    // What an allowed caller gets of them is in test/commands; here they find nothing to command.
    Object.assign(world.args, commandArgs('no-such-vehicle'), {
      cancelCommand: { id: typeIdOf('Command', newUuid()) },
    });
  });
  afterAll(() => db.close());

  const principalOf = (held: Scope[] | null) =>
    held === null ? null : aPrincipal(world.account, { scopes: new Set(held) });

  it('opens each root field to exactly the scopes on it', async () => {
    let cells = 0;
    for (const { kind, field } of rootFields) {
      const type = getNamedType(field.type).name;
      const own = requiredBy(field);
      const needed: Alternatives = field.name === 'node' ? [['vehicles']] : (own ?? [[]]);
      for (const surface of surfaces) {
        for (const [name, held] of callers) {
          cells += 1;
          if (field.name.startsWith('delete')) await world.restore();
          const result = await ask(
            db.prisma,
            principalOf(held),
            rootOperation(kind, field, world.args, type.endsWith('Connection') ? 2 : 1),
            {},
            { surface },
          );
          const allowed = satisfies(effectiveGrants(held ?? [], surface), needed);
          const denied = held === null ? 'MISSING_TOKEN' : 'INSUFFICIENT_SCOPE';
          const commands = type === 'CommandPayload' || type === 'HistoryEditPayload';
          const expected = !allowed ? [denied] : commands ? ['NOT_FOUND'] : [];
          // A field of links that was let through fails for want of a maker, which is not the scope's matter.
          const refusals = codes(result).filter(
            (code) => !allowed || !isOfLinks(field) || scopeWords.includes(String(code)),
          );
          const found = [...new Set(refusals)];
          expect([field.name, surface, name, found]).toEqual([field.name, surface, name, expected]);
        }
      }
    }
    process.stdout.write(
      `scope matrix: ${rootFields.length} root fields x ${surfaces.length} surfaces x ${callers.length} callers = ${cells} cells\n`,
    );
    expect(cells).toBe(rootFields.length * 16);
  });

  it('opens each thing behind node to exactly the scopes on its type', async () => {
    let cells = 0;
    for (const type of nodeTypes) {
      const object = schema.getType(type);
      const needed = isObjectType(object) ? requiredBy(object) : null;
      const id = typeIdOf(type, world.ids[type] ?? '');
      for (const [name, held] of callers) {
        cells += 1;
        const result = await ask(
          db.prisma,
          principalOf(held),
          'query ($id: ID!) { node(id: $id) { id __typename } }',
          { id },
        );
        const allowed = satisfies(effectiveGrants(held ?? [], 'api'), needed ?? [[]]);
        const found = allowed ? at(result.data, 'node.__typename') : codes(result).length;
        expect([type, name, found]).toEqual([type, name, allowed ? type : 1]);
      }
    }
    process.stdout.write(`node matrix: ${cells} cells\n`);
  });

  it('answers a denial with its status and the scope that is missing', async () => {
    const document = '{ account { name } }';
    const denied = await ask(db.prisma, principalOf(['vehicles']), document);
    expect(denied.data).toBeNull();
    expect(denied.errors?.[0]?.extensions).toEqual({
      code: 'INSUFFICIENT_SCOPE',
      http: { status: 403 },
      requiredScope: 'account',
      resolution: 'reauthenticate',
    });
    const nobody = await ask(db.prisma, null, document);
    expect(nobody.errors?.[0]?.extensions).toMatchObject({
      code: 'MISSING_TOKEN',
      http: { status: 401 },
    });
  });

  it('keeps the maker account of a vehicle from a token for vehicles', async () => {
    const document =
      'query ($id: ID!) { vehicle(publicId: $id) { publicId makerAccount { maker } } }';
    const id = world.vehicle.publicId;
    const denied = await ask(db.prisma, principalOf(['vehicles']), document, { id });
    expect(denied.data).toEqual({ vehicle: { publicId: id, makerAccount: null } });
    expect(codes(denied)).toEqual(['INSUFFICIENT_SCOPE']);
    const both = await answer(db.prisma, principalOf(['vehicles', 'maker-accounts']), document, {
      id,
    });
    expect(at(both, 'vehicle.makerAccount.maker')).toBe('simulator');
  });

  it('keeps the vehicle of a command from a token for controls', async () => {
    const document = 'query ($id: ID!) { command(id: $id) { name vehicle { vin } } }';
    const result = await ask(db.prisma, principalOf(['controls']), document, world.args.command);
    expect(result.data).toEqual({ command: { name: 'flash_lights', vehicle: null } });
    expect(codes(result)).toEqual(['INSUFFICIENT_SCOPE']);
  });

  it('shows an AI client the end of a VIN only', async () => {
    const document = 'query ($id: ID!) { vehicle(publicId: $id) { vin } }';
    const id = world.vehicle.publicId;
    const whole = await answer(db.prisma, principalOf(['vehicles']), document, { id });
    const masked = await answer(
      db.prisma,
      principalOf(['mcp:use']),
      document,
      { id },
      { surface: 'mcp' },
    );
    expect(at(whole, 'vehicle.vin')).toBe(world.vehicle.vin);
    expect(at(masked, 'vehicle.vin')).toBe(`***********${world.vehicle.vin.slice(-6)}`);
  });
});
