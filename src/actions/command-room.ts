import type { CallCategory } from '../contract/spend.ts';
import { type Ending, endIn, LifeOver, pause, type Running } from './command-running.ts';

/** How a command ends whose budget is used up before anything was sent. */
export const noBudget: Ending = {
  state: 'REJECTED',
  code: 'budget_exhausted',
  message: 'The budget of the vehicle or of its maker account is used up; nothing was sent.',
  retryable: false,
};

/**
 * Waits until the maker's limits leave room for a command's first call of a kind, while nothing was sent yet. Ends the
 * command, and throws LifeOver, where its budget does not allow the call or its deadline comes first.
 */
export async function makeRoom(running: Running, category: CallCategory): Promise<void> {
  const { link, command, parts } = running;
  for (;;) {
    const waitMs = await link.gate.roomFor(category);
    if (waitMs === 0) return;
    if (waitMs === null) {
      await endIn(running, command, noBudget);
      throw new LifeOver();
    }
    if (parts.clock() + waitMs >= command.expiresAt.getTime()) {
      const message = 'The maker’s limits leave no room before the deadline; nothing was sent.';
      const failure = { code: 'maker_rate_limited', message, retryable: true } as const;
      const retryAt = new Date(parts.clock() + waitMs);
      await endIn(running, command, { state: 'REJECTED', ...failure }, { retryAt });
      throw new LifeOver();
    }
    await pause(running, waitMs);
  }
}
