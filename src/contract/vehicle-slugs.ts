/** The form of a slug: 3 to 40 lower-case letters, digits and inner hyphens (contract §1). */
const form = /^[a-z0-9][a-z0-9-]{1,38}[a-z0-9]$/;

/** Words that no vehicle is called by, because a path or a client may mean something by them (contract §1). */
const reserved: ReadonlySet<string> = new Set([
  'account',
  'admin',
  'all',
  'api',
  'current',
  'export',
  'graphiql',
  'graphql',
  'health',
  'history',
  'import',
  'ingest',
  'latest',
  'live',
  'mcp',
  'new',
  'null',
  'oauth',
  'odograph',
  'search',
  'settings',
  'software',
  'undefined',
  'vehicle',
  'vehicles',
]);

/** What keeps a lower-case word from being the slug of the vehicle with this VIN; null where nothing does. */
export function slugProblem(slug: string, vin: string | null): string | null {
  if (!form.test(slug)) {
    return 'Give 3 to 40 letters a to z, digits and hyphens, with no hyphen at an end.';
  }
  if (reserved.has(slug)) return 'This word is reserved.';
  // A slug stands in addresses, and so in logs and histories.
  return vin !== null && slug.includes(vin.toLowerCase()) ? 'A slug never holds the VIN.' : null;
}
