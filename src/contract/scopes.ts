/**
 * The five scopes of the specification (spec 5), each once: what people read and what it opens where.
 * Everything that speaks of scopes is derived from this table.
 */
export const scopeTable = {
  account: {
    title: 'Account',
    sentence: 'Read and change your profile and the security settings of your account.',
    grants: '`/api/account` and its security routes, account fields and mutations in GraphQL. No maker accounts, no vehicles.',
  },
  'maker-accounts': {
    title: 'Maker accounts',
    sentence: 'See, refresh and change the vehicle-maker accounts that you linked.',
    grants: '`/api/account/maker-*`, maker-account fields in GraphQL. No drives, no charges, no commands.',
  },
  vehicles: {
    title: 'Vehicles',
    sentence: 'Read your vehicles: where they are, how they are, their drives, charges and trips.',
    grants: '`GET /api/vehicle/...`, vehicle fields in GraphQL. Nothing that changes a vehicle.',
  },
  controls: {
    title: 'Controls',
    sentence: 'Send commands that change your vehicles, such as unlocking or heating them.',
    grants: 'Command routes with the pass-through, command mutations in GraphQL, changes to history.',
  },
  'mcp:use': {
    title: 'AI clients',
    sentence: 'Let an AI client read your vehicles and send them commands for you.',
    grants: 'The tools at `/mcp`, remote commands among them. Nothing under `/api` or `/graphql`.',
  },
} as const satisfies Record<string, { title: string; sentence: string; grants: string }>;

export type Scope = keyof typeof scopeTable;

/** Type guard for the exact scope strings. */
export function isScope(value: string): value is Scope {
  return Object.hasOwn(scopeTable, value);
}

/** The five scopes in the order of the specification. */
export const scopes: readonly Scope[] = Object.keys(scopeTable).filter(isScope);

/** Where a request comes in; a credential's scopes count differently on each (architecture §2). */
export type Surface = 'api' | 'mcp';

/**
 * What a credential may do on a surface: on `/api` and `/graphql` its scopes, `mcp:use` opening nothing; on `/mcp`
 * only `mcp:use` counts, and stands for vehicle reads and commands (spec 5).
 */
export function effectiveGrants(held: Iterable<Scope>, surface: Surface): ReadonlySet<Scope> {
  const all = new Set(held);
  if (surface === 'api') {
    all.delete('mcp:use');
    return all;
  }
  return all.has('mcp:use') ? new Set<Scope>(['mcp:use', 'vehicles', 'controls']) : new Set();
}
