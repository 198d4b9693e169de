import { RenewalError } from '../ingest/renewal.ts';
import type { Answer } from '../maker/answer.ts';
import { type MakerApi, makerApi } from '../maker/api.ts';
import { regionOfBaseUrl } from '../maker/regions.ts';
import type { MakerAccount } from '../store/generated/prisma/client.ts';
import { moveMakerAccount } from '../store/maker-accounts.ts';
import { connectorOf, type MakerCall } from './maker-door.ts';
import { apiError, renewalError } from './maker-failures.ts';

/**
 * What the maker answers for an account. A refused token is renewed once, and an account that the maker has moved to
 * another region is asked there once, and from then on (maker.md §1.1). Throws the maker words of contract §12.
 */
export async function askMaker<T>(
  call: Pick<MakerCall, 'prisma' | 'clock' | 'door'> & {
    /** Address of the maker's signing proxy, where it is to be asked instead. */
    through?: string;
    /** Breaks the question off. */
    signal?: AbortSignal;
  },
  { id, maker, baseUrl }: MakerAccount,
  ask: (api: MakerApi) => Promise<Answer<T>>,
): Promise<T> {
  const { prisma, clock, door, through, signal } = call;
  const session = door.sessions.of(id, connectorOf(door, maker));
  const at = (url: string) =>
    makerApi({ baseUrl: through ?? url, token: session.accessToken, clock, signal });
  try {
    let answer = await ask(at(baseUrl));
    if (answer.kind === 'out_of_region' && answer.baseUrl !== null) {
      const home = { baseUrl: answer.baseUrl, region: regionOfBaseUrl(answer.baseUrl) };
      await moveMakerAccount(prisma, id, home);
      answer = await ask(at(home.baseUrl));
    } else if (answer.kind === 'unauthorized' && answer.retry === 'with_fresh_token') {
      session.refused();
      answer = await ask(at(baseUrl));
    }
    if (answer.kind === 'ok') return answer.value;
    throw apiError(answer);
  } catch (error) {
    if (error instanceof RenewalError) throw renewalError(error);
    throw error;
  }
}
