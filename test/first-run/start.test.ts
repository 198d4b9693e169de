import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { packageRoot } from '../../src/base/package-root.ts';
import { ensurePagesBuilt, ensureServerBuilt, runBuilt } from '../support/built.ts';

const summary = z.strictObject({
  consoleUrl: z.null(),
  signInUrl: z.null(),
  graphqlUrl: z.url(),
  graphiqlUrl: z.url(),
  restUrl: z.url(),
  restDocsUrl: z.url(),
  mcpUrl: z.null(),
  healthUrl: z.url(),
  token: z.string(),
  curl: z.string(),
  vehicles: z.array(z.string()),
  history: z.object({ days: z.number(), drives: z.number(), charges: z.number(), ms: z.number() }),
  startedInMs: z.number(),
});

let root = '';
beforeAll(async () => {
  await Promise.all([ensureServerBuilt(), ensurePagesBuilt()]);
  root = mkdtempSync(join(tmpdir(), 'odo-first-'));
  for (const name of ['home', 'tmp', 'work']) mkdirSync(join(root, name));
});
afterAll(() => rmSync(root, { recursive: true }));

function run(...args: string[]) {
  const env = { HOME: join(root, 'home'), TMPDIR: join(root, 'tmp') };
  return runBuilt({ cwd: join(root, 'work'), args, env });
}

async function drivesSeenWith(graphqlUrl: string, token: string): Promise<Response> {
  return fetch(graphqlUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: '{ vehicles { nodes { publicId drives { totalCount } } } }' }),
  });
}

const counted = z.object({
  data: z.object({
    vehicles: z.object({
      nodes: z.array(
        z.object({ publicId: z.string(), drives: z.object({ totalCount: z.number() }) }),
      ),
    }),
  }),
});

/** What the build made for the program; other tests may build theirs beside it. */
function builtFiles(): string[] {
  return ['src', 'console', 'database-template'].flatMap((part) => {
    const folder = join(packageRoot, '.build', part);
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => `${part}/${name} ${statSync(join(folder, name)).mtimeMs}`)
      .sort();
  });
}

// One process after the other on one data folder, as a person would; each test goes on where the last one stopped.
describe('the first run', () => {
  let first: z.infer<typeof summary>;
  let builtBefore: string[];

  it('prints one line of JSON with every address, a token and the history, and works', async () => {
    builtBefore = builtFiles();
    await using service = run('--json', '--no-open', '--port', '0');
    first = summary.parse(JSON.parse(await service.firstLine()));
    expect(first.vehicles).toEqual(['blue-heron', 'snow-finch']);
    expect(first.history.days).toBe(120);
    expect(first.history.drives).toBeGreaterThan(300);
    expect(first.history.charges).toBeGreaterThan(50);
    expect((await fetch(first.healthUrl)).status).toBe(200);
    expect((await fetch(new URL('/readyz', first.healthUrl))).status).toBe(200);

    const answer = counted.parse(
      await (await drivesSeenWith(first.graphqlUrl, first.token)).json(),
    );
    const drives = answer.data.vehicles.nodes.map((vehicle) => vehicle.drives.totalCount);
    expect(drives.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(300);

    const pasted = execFileSync('sh', ['-c', `${first.curl} --fail`], { encoding: 'utf8' });
    expect(JSON.parse(pasted)).toMatchObject({ response: expect.anything() });

    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(service.stdout().trim().split('\n')).toHaveLength(1);
    expect(service.stderr()).not.toContain(first.token);
  });

  it('writes nothing outside the data folder', () => {
    expect(readdirSync(join(root, 'home'))).toEqual([]);
    expect(readdirSync(join(root, 'tmp'))).toEqual([]);
    expect(readdirSync(join(root, 'work'))).toEqual(['.odograph']);
    expect(builtFiles()).toEqual(builtBefore);
  });

  it('keeps its data folder to its owner', () => {
    expect(statSync(join(root, 'work/.odograph')).mode & 0o777).toBe(0o700);
  });

  it('starts again on what it has, with a new token in place of the last', async () => {
    await using service = run('--json', '--port', '0');
    const second = summary.parse(JSON.parse(await service.firstLine()));
    expect(second.history.days).toBe(120);
    expect(second.history.drives).toBeGreaterThanOrEqual(first.history.drives);
    expect(second.history.ms).toBeLessThan(first.history.ms);
    expect((await drivesSeenWith(second.graphqlUrl, second.token)).status).toBe(200);
    expect((await drivesSeenWith(second.graphqlUrl, first.token)).status).toBe(401);

    // npm passes on a Ctrl-C that the terminal has sent already: twice at once is once.
    service.child.kill('SIGINT');
    service.child.kill('SIGINT');
    expect(await service.ended).toBe(0);
  });

  it('says which process holds the port, that it is another Odograph, and the flag', async () => {
    await using service = run('--json', '--port', '0');
    const { port } = new URL(summary.parse(JSON.parse(await service.firstLine())).healthUrl);
    await using second = run('--port', port, '--data-dir', join(root, 'other'));
    expect(await second.ended).toBe(1);
    const said = second.stderr();
    expect(said).toContain(`Port ${port} on 127.0.0.1 is taken by another Odograph`);
    if (process.platform === 'linux')
      expect(said).toContain(`(process ${service.child.pid}, node)`);
    expect(said).toContain('--port');

    await using third = run('--port', '0');
    expect(await third.ended).toBe(1);
    expect(third.stderr()).toContain('.odograph');
    expect(third.stderr()).toContain(`${service.child.pid}`);
  });

  it('starts again after it was killed, and ends at once when asked to stop a second time', async () => {
    await using service = run('--json', '--port', '0');
    const { graphqlUrl, token } = summary.parse(JSON.parse(await service.firstLine()));
    expect((await drivesSeenWith(graphqlUrl, token)).status).toBe(200);

    // A request whose body never comes holds the first stop up.
    const socket = connect(Number(new URL(graphqlUrl).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n',
    );
    // It says so when it has the request.
    await once(socket, 'data');
    service.child.kill('SIGINT');
    await service.saying('Stopping');
    await sleep(600);
    const askedAt = performance.now();
    service.child.kill('SIGINT');
    expect(await service.ended).toBe(130);
    // A stop that waits for the request takes ten seconds.
    expect(performance.now() - askedAt).toBeLessThan(8_000);
  });
});
