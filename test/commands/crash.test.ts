import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { loadConfig } from '../../src/base/config.ts';
import { uuidOf } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import { startServer } from '../../src/server.ts';
import { scratchPlace } from '../support/database.ts';
import { startProgram } from '../support/program.ts';
import { testPace } from './command-service.ts';
import { scenes } from './crash-scenes.ts';

const ends = ['SUCCEEDED', 'FAILED', 'UNKNOWN', 'TIMED_OUT', 'CANCELLED', 'REJECTED'];

describe('after a kill in the middle', () => {
  it.each([...scenes])('the next start completes truthfully what was %s', async (name, scene) => {
    await using place = await scratchPlace('embedded');
    const sending = await startProgram('commands/send-commands', place.dataDir, name);
    const ids: string[] = JSON.parse(await sending.line((line) => line.startsWith('[')));
    await sending.kill();

    const config = loadConfig({
      PORT: '0',
      ODOGRAPH_DATA_DIR: place.dataDir,
      ODOGRAPH_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      ODOGRAPH_GARAGE: 'on',
    });
    const service = await startServer(config, {
      log: silentLog,
      clock: systemClock,
      historyDays: 0,
      commandPace: testPace,
    });
    try {
      const { prisma } = service.access;
      const found = () =>
        Promise.all(
          ids.map((id) =>
            prisma.command.findUniqueOrThrow({
              where: { id: uuidOf('Command', id) ?? '' },
              select: { name: true, state: true, attempts: true },
            }),
          ),
        );
      let commands = await found();
      for (
        let look = 0;
        look < 800 && !commands.every(({ state }) => ends.includes(state));
        look += 1
      ) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        commands = await found();
      }
      expect(commands).toEqual(
        scene.map(({ name: wanted, afterwards }) => ({ name: wanted, ...afterwards })),
      );
    } finally {
      await service.close();
    }
  });
});
