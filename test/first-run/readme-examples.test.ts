import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { scopes } from '../../src/contract/scopes.ts';
import { at } from '../schema/ask.ts';
import { type BootedService, boot } from '../support/boot.ts';
import { freePort } from '../support/port.ts';

const run = promisify(execFile);
const readme = readFileSync(join(packageRoot, 'README.md'), 'utf8');

/** The code blocks of the README that are marked as examples, by name. */
const examples = new Map(
  [...readme.matchAll(/```(\w+) example=([\w-]+)\n([\s\S]*?)```/g)].map(
    ([, language = '', name = '', code = '']) => [name, { language, code }],
  ),
);

describe('the examples of the README', () => {
  let service: BootedService;
  let token: string;

  beforeAll(async () => {
    // The receiver of the examples runs on this machine.
    const environment = { ODOGRAPH_OUTBOUND_ALLOW: '127.0.0.1' };
    service = await boot({ garageDays: 40, environment });
    token = await service.token({ scopes });
  });

  afterAll(() => service?.[Symbol.asyncDispose]());

  /** Runs a shell example as a reader would paste it, and reads what it prints as JSON. */
  async function pasted(name: string, more: Record<string, string> = {}): Promise<unknown> {
    const { code = '' } = examples.get(name) ?? {};
    const env = { ...process.env, ODOGRAPH_URL: service.baseUrl, ODOGRAPH_TOKEN: token, ...more };
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', code], {
      env,
      timeout: 20_000,
    });
    return JSON.parse(stdout);
  }

  it('are all run here', () => {
    expect([...examples.keys()].sort()).toEqual([
      'command',
      'command-fleet',
      'command-graphql',
      'graphql-curl',
      'graphql-drives',
      'rest-drives',
      'software-latest',
      'webhook-create',
      'webhook-receiver',
      'webhook-test',
    ]);
  });

  it('read drives over REST', async () => {
    const body = await pasted('rest-drives');
    expect(body).toMatchObject({ code: 200, count: 3, pagination: { limit: 3 } });
  });

  it('read the same drives over GraphQL', async () => {
    const query = examples.get('graphql-drives')?.code ?? '';
    const answer = await (await service.graphql({ query }, token)).json();
    expect(answer.errors).toBeUndefined();
    const vehicles: { publicId: string; drives: { nodes: { startedAt: string }[] } }[] =
      answer.data.vehicles.nodes;
    expect(vehicles).toHaveLength(2);
    for (const { publicId, drives } of vehicles) {
      const rest = await (
        await service.get(`/api/vehicle/${publicId}/drives?limit=3`, token)
      ).json();
      expect(drives.nodes.map((drive) => drive.startedAt)).toEqual(
        rest.response.map((drive: { started_at: string }) => drive.started_at),
      );
    }
  });

  it('read the level of the battery by curl', async () => {
    const { data } = (await pasted('graphql-curl')) as { data: { vehicles: { nodes: object[] } } };
    expect(data.vehicles.nodes).toHaveLength(2);
    expect(data.vehicles.nodes[0]).toMatchObject({
      state: { charge: { batteryLevelPct: expect.any(Number) } },
    });
  });

  it('read the newest software version without a token', async () => {
    expect(await pasted('software-latest')).toMatchObject({ response: { is_latest: true } });
  });

  it('send a command over REST, over GraphQL and under the maker’s own name', async () => {
    const [publicId = ''] = service.service.garage?.vehicles ?? [];
    const vehicle = { VEHICLE: publicId };
    expect(await pasted('command', vehicle)).toMatchObject({
      code: 200,
      response: { name: 'set_charge_limit', state: 'SUCCEEDED', parameters: { percent: 80 } },
    });
    expect(await pasted('command-graphql', vehicle)).toMatchObject({
      data: { lock: { command: { state: 'SUCCEEDED', failure: null } } },
    });
    expect(await pasted('command-fleet', vehicle)).toMatchObject({
      response: { result: expect.any(Boolean) },
      error: '',
    });
  });

  it('receive a webhook of a command to a simulated car', async () => {
    const port = await freePort();
    const made = await pasted('webhook-create', { WEBHOOK_URL: `http://127.0.0.1:${port}/` });
    const webhookId = String(at(made, 'response.webhook.id'));
    const receiver = spawn(
      process.execPath,
      ['--input-type=module', '-e', examples.get('webhook-receiver')?.code ?? ''],
      {
        cwd: packageRoot,
        env: {
          ...process.env,
          PORT: String(port),
          WEBHOOK_SECRET: String(at(made, 'response.secret')),
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    try {
      await listening(port);
      const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]();
      expect(await pasted('webhook-test', { WEBHOOK_ID: webhookId })).toMatchObject({
        response: { state: 'DELIVERED', attempts: [{ status: 204, error: null }] },
      });
      expect((await lines.next()).value).toBe(`webhook.test null {"webhook_id":"${webhookId}"}`);
      const [publicId] = service.service.garage?.vehicles ?? [];
      const path = `/api/vehicle/${publicId}/command/flash_lights`;
      await fetch(service.baseUrl + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
      });
      expect((await lines.next()).value).toMatch(
        new RegExp(`^command\\.updated ${publicId} .*"command_id":"cmd_`),
      );
    } finally {
      receiver.kill();
    }
  });
});

async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const open = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (open) return;
  }
}
