import type { RenewalParts, TokenEndpoint } from './renewal.ts';
import { type MakerSession, makerSession } from './session.ts';

/** The sessions of a process, one for each maker account, shared by all who ask the maker for it. */
export type MakerSessions = {
  of: (makerAccountId: string, endpoint: TokenEndpoint) => MakerSession;
  /** Forgets an account whose tokens were replaced or removed. */
  drop: (makerAccountId: string) => void;
};

/** No sessions yet. */
export function makerSessions(parts: Omit<RenewalParts, 'endpoint'>): MakerSessions {
  const sessions = new Map<string, MakerSession>();
  return {
    of: (id, endpoint) => {
      const known = sessions.get(id);
      if (known !== undefined) return known;
      const session = makerSession(id, { ...parts, endpoint });
      sessions.set(id, session);
      return session;
    },
    drop: (id) => {
      // Whoever holds it goes on with what is stored now.
      sessions.get(id)?.forget();
    },
  };
}
