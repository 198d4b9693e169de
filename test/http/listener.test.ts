import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openListener } from '../../src/transports/http/listener.ts';

const anyPort = { host: '127.0.0.1', port: 0 };

function signal(): { give: () => void; given: Promise<void> } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { give, given };
}

describe('the port', () => {
  it('answers /healthz and says 503 for the rest while the service starts', async () => {
    const listener = await openListener(anyPort);
    const baseUrl = `http://127.0.0.1:${listener.port}`;
    expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200);
    const answer = await fetch(`${baseUrl}/api/vehicles`);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await answer.json()).toMatchObject({ code: 503, error: 'service_unavailable' });
    await listener.close(0);
  });

  it('fails at once when the port is taken', async () => {
    const listener = await openListener(anyPort);
    await expect(openListener({ host: '127.0.0.1', port: listener.port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    await listener.close(0);
  });

  it('lets a running request end before it closes', async () => {
    const listener = await openListener(anyPort);
    const running = signal();
    listener.serve(async (_request, response) => {
      running.give();
      await sleep(200);
      response.end('done');
    });
    const answer = fetch(`http://127.0.0.1:${listener.port}/`).then((response) => response.text());
    await running.given;
    await listener.close(60_000);
    expect(await answer).toBe('done');
  });

  it('closes idle kept connections without waiting for them', async () => {
    const listener = await openListener(anyPort);
    listener.serve((_request, response) => response.end('done'));
    const agent = new Agent({ keepAlive: true });
    await new Promise<void>((resolve) => {
      get({ port: listener.port, agent }, (response) => response.resume().on('end', resolve));
    });
    expect(await Promise.race([listener.close(60_000), sleep(1_000, 'late')])).not.toBe('late');
    agent.destroy();
  });

  it('cuts what is still running when the grace is over', async () => {
    const listener = await openListener(anyPort);
    const running = signal();
    listener.serve(() => running.give());
    const answer = fetch(`http://127.0.0.1:${listener.port}/`);
    answer.catch(() => {});
    await running.given;
    await listener.close(200);
    await expect(answer).rejects.toThrow();
  });
});
