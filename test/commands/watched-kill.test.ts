import { afterEach, expect, it } from 'vitest';
import { scratchPlace } from '../support/database.ts';
import { freePort } from '../support/port.ts';
import { startProgram } from '../support/program.ts';
import { clientNames, expectLive, type Watch, watch } from './watching.ts';

const open: Watch[] = [];
const closeAll = () => Promise.all(open.splice(0).map((one) => one[Symbol.asyncDispose]()));
afterEach(closeAll);

it('every client comes back by itself after a kill in the middle, and sees how its command ended', async () => {
  await using place = await scratchPlace('embedded');
  const port = await freePort();
  const serve = (...more: string[]) =>
    startProgram('commands/serve-garage', place.dataDir, String(port), ...more);
  const isReady = (line: string) => line.startsWith('{');

  await using killed = await serve('silent');
  const { token, publicId } = JSON.parse(await killed.line(isReady));
  const door = { baseUrl: `http://127.0.0.1:${port}`, token };
  // The first may have been carried out and happens once; those behind it were not sent.
  const [first, ...others] = clientNames;
  if (first === undefined) throw new Error('No client.');
  const sent = await watch(first, door, { publicId, name: 'honk_horn' });
  open.push(sent);
  await sent.seen('SENDING');
  const waiting = await Promise.all(
    others.map((client) => watch(client, door, { publicId, name: 'flash_lights' })),
  );
  open.push(...waiting);
  for (const { first: told } of waiting) expect(await told).toBe('QUEUED');
  await killed.kill();

  await using _again = await serve();
  const doubtful = await sent.ended;
  expectLive(doubtful);
  expect(doubtful.last).toMatchObject({ state: 'UNKNOWN', failure: { code: 'maker_timeout' } });
  for (const { ended } of waiting) {
    const end = await ended;
    expectLive(end);
    expect(end.last).toMatchObject({ state: 'SUCCEEDED', failure: null });
  }
  // Before the service ends: a client of graphql-ws that is closed while it tries to come back throws.
  await closeAll();
});
