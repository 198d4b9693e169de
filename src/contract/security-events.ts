/** What of the audit is an `account.security` event too (contract §16): who may come in was changed, by these actions. */
const securityActions: readonly string[] = ['token.create', 'token.revoke', 'api_key.create', 'api_key.revoke', 'ingest_token.create', 'ingest_token.revoke', 'maker_account.link'];

/** What such an event tells of the entry's details; what an action has not is null. */
const toldDetails = ['name', 'prefix', 'lastFour', 'scopes', 'expiresAt', 'maker'] as const;

/** Who does something without a credential, as the audit names them; everybody else is the kind and id of a credential. */
export const namedActors = { operator: 'operator', callback: 'maker callback', service: 'service' } as const;

/** The ways that lead to what only they can do. */
const surfaces: Readonly<Record<string, string>> = {
  [namedActors.operator]: 'COMMAND_LINE',
  [namedActors.callback]: 'CALLBACK',
};

/** What an entry of the audit says. */
type Entry = {
  actor: string;
  action: string;
  object: string | null;
  details: Readonly<Record<string, unknown>>;
};

/** The data of the event that goes with an entry; null for an entry that changes no access. */
export function securityData({ actor, action, object, details }: Entry): Record<string, unknown> | null {
  if (!securityActions.includes(action)) return null;
  const told = toldDetails.map((name) => [name, details[name] ?? null]);
  const surface = surfaces[actor] ?? 'API';
  return { action, actor, surface, object, ...Object.fromEntries(told) };
}
