import { ServiceError } from '../base/errors.ts';
import { SECOND_MS } from '../base/units.ts';
import { exchange } from '../maker/exchange.ts';
import type { MakerAccount } from '../store/generated/prisma/client.ts';
import { callbackIn, completeMakerLink } from './complete-maker-link.ts';
import { connectorOf, type MakerCall, simulatedConnector } from './maker-door.ts';
import { startMakerLink } from './start-maker-link.ts';

const limits = { timeoutMs: 10 * SECOND_MS, maxBytes: 64 * 1024 };

/**
 * Links a person of the simulated garage without a browser: the sign-in is the usual one, and the stand-in's page is
 * answered with yes. The same seed is the same person. Throws `setting_forbids` where the garage is off, and
 * `validation_failed` for another maker.
 */
export async function linkSimulated(
  call: MakerCall,
  { maker, label, seed }: { maker: string | null; label: string | null; seed: string },
): Promise<MakerAccount> {
  const simulated = maker === null ? simulatedConnector(call.door) : connectorOf(call.door, maker);
  if (!simulated.simulated) throw refused('Only the simulated garage takes a seed.');
  if (!/^[\w.@-]{1,64}$/.test(seed)) throw refused('Give 1 to 64 letters, digits or `._@-`.');
  const { authorizeUrl } = await startMakerLink(call, { maker: simulated.maker, label });
  const page = new URL(authorizeUrl);
  page.searchParams.set('login_hint', seed);
  page.searchParams.set('decision', 'approve');
  const answer = await exchange(page.href, { method: 'GET' }, limits);
  const back = answer.kind === 'answered' ? answer.headers.get('location') : null;
  if (back === null) {
    throw new ServiceError('maker_unavailable', 'The simulated garage does not answer now.');
  }
  return completeMakerLink(call, callbackIn(back));
}

function refused(sentence: string): ServiceError {
  return new ServiceError('validation_failed', 'The simulated account cannot be linked.', {
    fields: { seed: [sentence] },
  });
}
