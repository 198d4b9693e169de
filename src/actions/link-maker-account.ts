import { ServiceError } from '../base/errors.ts';
import type { MakerAccount } from '../store/generated/prisma/client.ts';
import { linkByRefreshToken } from './link-by-token.ts';
import { linkSimulated } from './link-simulated.ts';
import type { MakerCall } from './maker-door.ts';
import { type StartedLink, startMakerLink } from './start-maker-link.ts';

/** What to link, as a caller says it; left out is the same as null. */
export type LinkWish = {
  [name in 'maker' | 'label' | 'refreshToken' | 'seed']?: string | null | undefined;
};

/** A sign-in that a person has to complete, or an account that is linked already; the other is null. */
export type Linking = { signIn: StartedLink | null; makerAccount: MakerAccount | null };

/**
 * Links an account of a maker in the way the wish asks for (contract §9). Throws `validation_failed` for one that asks
 * for two ways at once, and what the way throws.
 */
export async function linkMakerAccount(call: MakerCall, wish: LinkWish): Promise<Linking> {
  const { maker = null, label = null, refreshToken = null, seed = null } = wish;
  if (refreshToken !== null && seed !== null) {
    throw new ServiceError('validation_failed', 'It is not clear how to link.', {
      fields: { seed: ['Give a refresh token or a seed, not both.'] },
    });
  }
  if (refreshToken !== null) {
    const makerAccount = await linkByRefreshToken(call, { maker, label, refreshToken });
    return { signIn: null, makerAccount };
  }
  if (seed !== null) {
    return { signIn: null, makerAccount: await linkSimulated(call, { maker, label, seed }) };
  }
  return { signIn: await startMakerLink(call, { maker, label }), makerAccount: null };
}
