import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import { getNamedType, isLeafType } from 'graphql';
import { effectiveGrants, type Scope } from '../contract/scopes.ts';
import type PrismaTypes from '../store/generated/pothos.ts';
import { getDatamodel } from '../store/generated/pothos.ts';
import type { Prisma } from '../store/generated/prisma/client.ts';
import type { Context } from './context.ts';
import { denial } from './denial.ts';
import { isNodeType, nodeOptions } from './global-id.ts';

type Grants = { [S in Scope]: boolean };

function grantsOf(context: Context): Grants {
  const granted = effectiveGrants(context.principal?.scopes ?? [], context.surface);
  const has = (scope: Scope) => granted.has(scope);
  return {
    account: has('account'),
    'maker-accounts': has('maker-accounts'),
    vehicles: has('vehicles'),
    controls: has('controls'),
    'mcp:use': has('mcp:use'),
  };
}

/** The builder of the schema; every noun file adds its own types and root fields to it. */
export const builder = new SchemaBuilder<{
  Context: Context;
  PrismaTypes: PrismaTypes;
  AuthScopes: Grants;
  DefaultAuthStrategy: 'all';
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string | number | bigint };
    DateTime: { Input: number; Output: Date | number };
    Decimal: { Input: string; Output: Prisma.Decimal | string };
    JSON: { Input: unknown; Output: unknown };
    Scope: { Input: Scope; Output: Scope };
  };
}>({
  plugins: [ScopeAuthPlugin, PrismaPlugin, RelayPlugin, ComplexityPlugin],
  defaultFieldNullability: false,
  scopeAuth: {
    authScopes: grantsOf,
    authorizeOnSubscribe: true,
    defaultStrategy: 'all',
    unauthorizedError: (_parent, context, _info, result) =>
      denial(context.principal, result.failure),
  },
  prisma: {
    client: (context) => context.prisma,
    dmmf: getDatamodel(),
    exposeDescriptions: true,
    onUnusedQuery: null,
  },
  relay: {
    ...nodeOptions,
    nodeTypeOptions: { description: 'A thing with an id.' },
    nodeQueryOptions: {
      description: 'The thing with an id; null when it is missing or not yours.',
      nullable: true,
      args: { id: { description: 'Id of the thing.' } },
      resolve: (_root, { id }, _context, _info, load) =>
        isNodeType(id.typename) ? load(id) : null,
    },
    pageInfoTypeOptions: { description: 'Where a page is in its list.' },
    hasNextPageFieldOptions: { description: 'Whether rows follow the page.' },
    hasPreviousPageFieldOptions: { description: 'Whether rows precede the page.' },
    startCursorFieldOptions: { description: 'Cursor of the first row.' },
    endCursorFieldOptions: { description: 'Cursor of the last row.' },
    cursorFieldOptions: { description: 'Place of the row in the list.' },
    nodeFieldOptions: { description: 'The row.', nullable: false },
  },
  // The cost is asked for by `execute.ts`, once per operation and before anything runs. An object costs one point, and
  // its leaves nothing.
  complexity: {
    disabled: true,
    fieldComplexity: (_args, _context, field) => (isLeafType(getNamedType(field.type)) ? 0 : 1),
  },
});
