import type { Scope } from '../contract/scopes.ts';
import type { Viewer } from '../store/visible.ts';

/** Kinds of credential that stand for a person. */
export type PersonalKind = 'TOKEN' | 'API_KEY';

/** Kinds of credential a request can carry by now; an ingest token stands for nobody and brings telemetry in. */
export type CredentialKind = PersonalKind | 'INGEST';

/** How exactly a caller may see positions (contract §6). */
export type LocationPrecision = 'EXACT' | 'APPROXIMATE' | 'HIDDEN';

/** Who is calling: the account, what it may see, and what the credential grants before the surface is considered. */
export type Principal = Viewer & {
  credential: { kind: PersonalKind; id: string; name: string };
  scopes: ReadonlySet<Scope>;
  locationPrecision: LocationPrecision;
  /** Groups of commands it may send; null for all. */
  commandGroups: readonly string[] | null;
  /** When the credential ends (epoch ms); what outlives a request ends with it. */
  expiresAt: number;
};
