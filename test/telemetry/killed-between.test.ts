import { describe, expect, it } from 'vitest';
import { VIN } from '../support/telemetry.ts';
import { killedDay } from './killed-day.ts';
import { fedWithKills } from './killing.ts';

describe('a process that is killed (SIGKILL) between any two events', () => {
  it('comes to the same drives, charges and software, streamed and looked at', {
    timeout: 600_000,
  }, async () => {
    const everywhere = killedDay.map((_, index) => index);
    const vins = { streamed: VIN, lookedAt: 'TEST0000000000002' };
    const vehicles = await fedWithKills(killedDay, everywhere, vins);
    expect(vehicles).toHaveLength(2);
    for (const { drives, charges, software } of vehicles) {
      expect(drives.length * charges.length * software.length).toBeGreaterThan(1);
    }
  });
});
