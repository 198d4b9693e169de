import { ApolloClient, gql, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { Client, subscriptionExchange } from '@urql/core';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient, type Client as WsClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { typeIdOf } from '../../src/base/ids.ts';
import { at } from '../schema/ask.ts';
import { type BootedService, boot } from '../support/boot.ts';

/** A garage in which one car is on the road: its drive goes on by itself, told every few seconds. */
let booted: BootedService;
let token = '';
beforeAll(async () => {
  booted = await boot({ garageDays: 1 });
  token = await booted.token({ scopes: ['vehicles'] });
});
afterAll(() => booted[Symbol.asyncDispose]());

const query = 'subscription Driving { driveUpdated { id state distanceKm sampleCount } }';

function socketClient(onSocket: (socket: WebSocket) => void = () => {}): WsClient {
  return createClient({
    url: `${booted.baseUrl.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
    on: { connected: (socket) => socket instanceof WebSocket && onSocket(socket) },
  });
}

/** Hands out answers one by one until some drive was told to be longer than before. */
function untilItGoesOn() {
  const lengths = new Map<string, number>();
  let settle = (_how: 'went on' | Error) => {};
  const seen = new Promise<'went on'>((resolve, reject) => {
    settle = (how) => (how instanceof Error ? reject(how) : resolve(how));
  });
  return {
    seen,
    failed: (error: unknown) => settle(new Error(JSON.stringify(error))),
    take: (data: unknown) => {
      const id = String(at(data, 'driveUpdated.id'));
      const km = Number(at(data, 'driveUpdated.distanceKm'));
      if (km > (lengths.get(id) ?? Number.POSITIVE_INFINITY)) settle('went on');
      lengths.set(id, km);
    },
  };
}

describe('a drive of the garage arrives live', () => {
  it('at the graphql-ws client', async () => {
    const client = socketClient();
    const { take, failed, seen } = untilItGoesOn();
    const stop = client.subscribe(
      { query },
      { next: ({ data }) => take(data), error: failed, complete: () => failed('complete') },
    );
    expect(await seen).toBe('went on');
    stop();
    await client.dispose();
  });

  it('at the graphql-sse client', async () => {
    const client = createSseClient({
      url: `${booted.baseUrl}/graphql/stream`,
      headers: { authorization: `Bearer ${token}` },
      retryAttempts: 0,
    });
    const { take, failed, seen } = untilItGoesOn();
    const stop = client.subscribe(
      { query },
      { next: ({ data }) => take(data), error: failed, complete: () => failed('complete') },
    );
    expect(await seen).toBe('went on');
    stop();
    client.dispose();
  });

  it('at @urql/core over graphql-ws', async () => {
    const socket = socketClient();
    const client = new Client({
      url: `${booted.baseUrl}/graphql`,
      preferGetMethod: false,
      exchanges: [
        subscriptionExchange({
          forwardSubscription: ({ query = '', variables }) => ({
            subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query, variables }, sink) }),
          }),
        }),
      ],
    });
    const { take, failed, seen } = untilItGoesOn();
    const { unsubscribe } = client.subscription(query, {}).subscribe(({ data, error }) => {
      if (error === undefined) take(data);
      else failed(error);
    });
    expect(await seen).toBe('went on');
    unsubscribe();
    await socket.dispose();
  });

  it('at @apollo/client over graphql-ws', async () => {
    const socket = socketClient();
    const client = new ApolloClient({
      link: new GraphQLWsLink(socket),
      cache: new InMemoryCache(),
    });
    const { take, failed, seen } = untilItGoesOn();
    const subscription = client
      .subscribe({ query: gql(query) })
      .subscribe({ next: ({ data }) => take(data), error: failed });
    expect(await seen).toBe('went on');
    subscription.unsubscribe();
    client.stop();
    await socket.dispose();
  });

  it('without a loss or a repetition when the connection is killed and resumed after the last event', async () => {
    const document = 'subscription ($after: String) { events(after: $after) { id cursor } }';
    const told: string[] = [];
    let after: string | null = null;
    for (let round = 0; round < 3; round += 1) {
      let kill = () => {};
      const client = socketClient((socket) => {
        kill = () => socket.terminate();
      });
      const answers: AsyncIterator<unknown> = client.iterate({
        query: document,
        variables: { after },
      });
      const until = told.length + 3;
      while (told.length < until) {
        const { value } = await answers.next();
        told.push(String(at(value, 'data.events.id')));
        after = String(at(value, 'data.events.cursor'));
      }
      kill();
      // Something happens while nobody listens.
      await new Promise((resolve) => setTimeout(resolve, round === 0 ? 3_500 : 0));
    }
    const [, first] = told;
    const stored = await booted.prisma.event.findMany({ orderBy: { position: 'asc' } });
    const ids = stored.map(({ id }) => typeIdOf('Event', id));
    const from = ids.indexOf(first ?? '');
    // The first of all is the heartbeat, which is not stored.
    expect(told.slice(1)).toEqual(ids.slice(from, from + 8));
  });
});
