import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeOnServer } from '../support/database.ts';
import { startProgram } from '../support/program.ts';
import { openYard, send, type Yard } from './desks.ts';

describeOnServer('two processes on one database', () => {
  let yard: Yard;
  beforeAll(async () => {
    yard = await openYard('server');
  });
  beforeEach(() => yard.ready());
  afterAll(() => yard?.[Symbol.asyncDispose]());

  const slow = (delayMs: number) => yard.maker.fault({ kind: 'slow', on: ['command'], delayMs });

  it('one leaves alone what the other is sending', async () => {
    const [one, other] = [yard.desk({ pace: { lease: 2_500, request: 30_000 } }), yard.desk()];
    await one.recover();
    slow(4_000);
    const { id } = await send(one, yard.vehicle, 'honk_horn', { waitSeconds: 0 });
    await yard.until(id, ({ state }) => state === 'SENDING');
    await other.recover();
    const ended = await yard.until(id, ({ completedAt }) => completedAt !== null);
    expect(ended).toMatchObject({ state: 'SUCCEEDED', attempts: 1 });
  });

  it('the one that lives takes up what the one that was killed left', async () => {
    const living = yard.desk({ pace: { lease: 900 } });
    await living.recover();
    yard.maker.fault({ kind: 'hang', on: ['command'], times: 1 });
    const { dataDir, databaseUrl } = yard.db;
    const args = [dataDir, databaseUrl ?? '', yard.maker.tokenUrl, yard.vehicle.id];
    await using killed = await startProgram('commands/hold-command', ...args, 'honk_horn,lock');
    const [sent = '', queued = '']: string[] = JSON.parse(
      await killed.line((line) => line.startsWith('[')),
    );
    expect((await yard.find(sent)).ownerId).not.toBe(living.owner.id);
    await killed.kill();
    const ended = ({ completedAt }: { completedAt: Date | null }) => completedAt !== null;
    expect(await yard.until(sent, ended)).toMatchObject({ state: 'UNKNOWN', attempts: 1 });
    expect(await yard.until(queued, ended)).toMatchObject({ state: 'SUCCEEDED', attempts: 1 });
    expect((await yard.find(sent)).ownerId).toBe(living.owner.id);
  });

  it('send to a vehicle one at a time, and the oldest first', async () => {
    const desks = [yard.desk(), yard.desk()];
    for (const desk of desks) await desk.recover();
    slow(40);
    const sent = [];
    for (let index = 0; index < 6; index += 1) {
      const desk = desks[index % 2];
      if (desk !== undefined) {
        sent.push(await send(desk, yard.vehicle, 'flash_lights', { waitSeconds: 0 }));
      }
    }
    const ended = await Promise.all(
      sent.map(({ id }) => yard.until(id, ({ completedAt }) => completedAt !== null)),
    );
    const steps = await yard.prisma.commandTransition.findMany({
      where: { commandId: { in: sent.map(({ id }) => id) }, state: 'SENDING' },
      orderBy: { at: 'asc' },
    });
    expect(steps.map(({ commandId }) => commandId)).toEqual(sent.map(({ id }) => id));
    for (const [index, { completedAt }] of ended.slice(0, -1).entries()) {
      expect(steps[index + 1]?.at.getTime()).toBeGreaterThanOrEqual(completedAt?.getTime() ?? 0);
    }
  });

  it('one that stood still moves nothing that the other has taken up', async () => {
    // Without looks it prolongs no lease, like a process that is stopped.
    const still = yard.desk({ pace: { lease: 500, request: 30_000 } });
    const other = yard.desk({ pace: { lease: 900 } });
    await other.recover();
    slow(4_000);
    const { id } = await send(still, yard.vehicle, 'honk_horn', { waitSeconds: 0 });
    const taken = await yard.until(id, ({ completedAt }) => completedAt !== null);
    expect(taken).toMatchObject({ state: 'UNKNOWN', ownerId: other.owner.id });
    await still.close();
    expect(await yard.find(id)).toEqual(taken);
  });
});
