import { createHook } from 'node:async_hooks';
import type { LookupAddress } from 'node:dns';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isPublic, networksOf } from '../../src/base/address-range.ts';
import { systemResolve } from '../../src/base/name-lookup.ts';
import {
  checkTarget,
  guardedAgent,
  type OutboundPolicy,
  outboundUrl,
  RefusedTarget,
} from '../../src/base/outbound.ts';

const servers: Server[] = [];
let port = 0;
let accepted = 0;
/** TCP connections that this process began, whatever became of them. */
let begun = 0;
const watch = createHook({
  init(_id, type) {
    if (type === 'TCPCONNECTWRAP') begun += 1;
  },
});

async function listening(host: string): Promise<void> {
  const server = createServer((_request, response) => response.end('reached'));
  server.on('connection', () => {
    accepted += 1;
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  port = (server.address() as AddressInfo).port;
  servers.push(server);
}

beforeAll(async () => {
  await listening('127.0.0.1');
  await listening('::1');
  watch.enable();
});
afterAll(() => {
  watch.disable();
  for (const server of servers) server.close();
});
beforeEach(() => {
  begun = 0;
  accepted = 0;
});

const policyOf = (
  resolve: OutboundPolicy['resolve'] = systemResolve,
  allowed: string[] = [],
): OutboundPolicy => ({ resolve, allowed: networksOf(allowed) });

const answers =
  (...addresses: string[]) =>
  async (): Promise<LookupAddress[]> =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

/** Calls an address through the agent alone, as if it had passed every check before. */
async function called(url: string, policy: OutboundPolicy): Promise<string> {
  const agent = guardedAgent(policy);
  try {
    const { body } = await request(url, { dispatcher: agent, method: 'POST', body: '{}' });
    return await body.text();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await agent.destroy();
  }
}

/** Ways to write an address of this machine or its network that a careless check lets through. */
const literals = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '0',
  '0.0.0.0',
  '127.0.0.1.',
  '１２７.0.0.1',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '0300.0250.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '192.0.0.8',
  '198.18.0.1',
  '203.0.113.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[::7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[4000::1]',
];

// Not every system knows the names of itself with a dot at their end.
const refusal = /not of the public|Only https|not found/;

const names = ['localhost', 'localhost.', 'LOCALHOST', 'loc%61lhost'];

const forms = [
  'file:///etc/passwd',
  'ftp://example.org/',
  'data:text/plain,x',
  'javascript:1',
  'ws://example.org/',
  'https://user@example.org/',
  'https://user:secret@example.org/',
  'https://example.org@127.0.0.1/',
  'https://127.0.0.1%2f@example.org/',
  'https://example.org:22/',
  'https://example.org:25/',
  'https://example.org:99999/',
  'https://[fe80::1%25eth0]/',
  'https://exa mple.org/',
  'example.org',
  '//example.org/',
  '',
  `https://example.org/${'a'.repeat(2_048)}`,
];

describe('what is not of the public internet', () => {
  it.each([...literals, ...names])(
    'is refused when it is saved and when it is called, without a connection: %s',
    async (host) => {
      const policy = policyOf();
      for (const url of [`https://${host}:${port}/`, `http://${host}:${port}/`]) {
        await expect(checkTarget(url, policy)).rejects.toThrow(refusal);
        expect(await called(url, policy)).toMatch(refusal);
      }
      expect({ begun, accepted }).toEqual({ begun: 0, accepted: 0 });
    },
  );

  it.each([
    ['127.0.0.1'],
    ['::1'],
    ['10.0.0.1'],
    ['93.184.215.14', '127.0.0.1'],
    ['2606:2800:21f:cb07::1', '::ffff:127.0.0.1'],
    ['fe80::1%lo'],
    [],
  ])('is refused behind a name that resolves to it, also among others: %s %s', async (...found) => {
    const policy = policyOf(answers(...found));
    const url = `https://hooks.example.org:${port}/`;
    await expect(checkTarget(url, policy)).rejects.toThrow(/not of the public|not found/);
    expect(await called(url, policy)).toMatch(/not of the public|not found/);
    expect({ begun, accepted }).toEqual({ begun: 0, accepted: 0 });
  });

  it('is refused behind a name that turns to it between the check and the connection', async () => {
    let looks = 0;
    const policy = policyOf(async () => {
      looks += 1;
      return answers(looks === 1 ? '93.184.215.14' : '127.0.0.1')();
    });
    const url = `https://hooks.example.org:${port}/`;
    await checkTarget(url, policy);
    expect(await called(url, policy)).toMatch(/not of the public/);
    expect({ looks, begun, accepted }).toEqual({ looks: 2, begun: 0, accepted: 0 });
  });

  it('is refused whatever the bytes of the address', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.constantFrom('10', '127', '0', '240'), byte, byte, byte, (a, b, c, d) => {
        const [x, y] = [b, c].map((part) => part.toString(16).padStart(2, '0'));
        const v4 = `${a}.${b}.${c}.${d}`;
        const all = [v4, `[::ffff:${v4}]`, `[64:ff9b::${v4}]`, `[fd${x}:${y}::${d}]`];
        return !all.some(isPublic) && !isPublic(`[2002:${Number(a).toString(16)}${x}::1]`);
      }),
      { numRuns: 500 },
    );
  });
});

it.each(forms)(
  'what has another form is refused before its host is looked up: %.60s',
  async (url) => {
    let looks = 0;
    const policy = policyOf(async () => {
      looks += 1;
      return answers('93.184.215.14')();
    });
    await expect(checkTarget(url, policy)).rejects.toThrow(RefusedTarget);
    expect(looks).toBe(0);
  },
);

it('a public address passes, by name and as it stands, without its fragment', async () => {
  const policy = policyOf(answers('93.184.215.14', '2606:2800:21f:cb07::1'));
  for (const url of [
    'https://hooks.example.org/a?b=c#d',
    'https://93.184.215.14/a?b=c',
    'https://[2606:4700::1]:8443/a?b=c',
  ]) {
    expect((await checkTarget(url, policy)).href).toBe(url.replace('#d', ''));
  }
  expect(outboundUrl('HTTPS://Hooks.Example.ORG:443/A').href).toBe('https://hooks.example.org/A');
});

it('an allowed network is called, by http too; other networks stay closed', async () => {
  const policy = policyOf(answers('127.0.0.1'), ['127.0.0.0/8', '192.168.7.7']);
  expect(await called(`http://127.0.0.1:${port}/`, policy)).toBe('reached');
  expect(await called(`http://receiver.test:${port}/`, policy)).toBe('reached');
  expect({ begun, accepted }).toEqual({ begun: 2, accepted: 2 });
  for (const url of [`http://[::1]:${port}/`, 'http://192.168.7.8/', 'https://10.0.0.1/']) {
    await expect(checkTarget(url, policy)).rejects.toThrow(/not of the public|Only https/);
    expect(await called(url, policy)).toMatch(/not of the public|Only https/);
  }
  await expect(checkTarget('http://93.184.215.14/', policy)).rejects.toThrow('Only https');
  expect({ begun, accepted }).toEqual({ begun: 2, accepted: 2 });
});

it('a redirect is not followed', async () => {
  const redirecting = createServer((_request, response) =>
    response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end('elsewhere'),
  );
  await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
  const { port: own } = redirecting.address() as AddressInfo;
  const policy = policyOf(systemResolve, ['127.0.0.1']);
  expect(await called(`http://127.0.0.1:${own}/`, policy)).toBe('elsewhere');
  expect(accepted).toBe(0);
  redirecting.close();
});
