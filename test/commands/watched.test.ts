import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient, type Client as WsClient } from 'graphql-ws';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { commandStates } from '../../src/contract/command-states.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import { at } from '../schema/ask.ts';
import { type CommandService, commandService } from './command-service.ts';

let service: CommandService;
beforeAll(async () => {
  service = await commandService();
}, 120_000);
beforeEach(() => service.ready());
afterAll(() => service?.[Symbol.asyncDispose]());

const mutation =
  'mutation Send($input: SendCommandInput!) { sendCommand(input: $input) { command { id state } } }';
const subscription =
  'subscription Watch($id: ID!) { commandUpdated(id: $id) { id state failure { code } } }';
const headers = () => ({ authorization: `Bearer ${service.token}` });
const url = () => `${service.service.baseUrl}/graphql`;
const inputOf = (name: string, more: object = {}) => ({
  input: { publicId: service.publicId, name, waitSeconds: 0, ...more },
});

function socketClient(): WsClient {
  return createClient({
    url: url().replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: headers(),
    retryAttempts: 0,
  });
}

/** Everything that was told of a command, from the mutation's answer to its end. */
type Watched = { states: unknown[]; last: unknown };

/** Gathers what a subscription tells until the command has ended. */
function watching(sent: unknown) {
  const command = at(sent, 'data.sendCommand.command');
  const states: unknown[] = [at(command, 'state')];
  let settle = (_watched: Watched | Error) => {};
  const ended = new Promise<Watched>((resolve, reject) => {
    settle = (how) => (how instanceof Error ? reject(how) : resolve(how));
  });
  return {
    id: at(command, 'id'),
    ended,
    failed: (error: unknown) => settle(new Error(JSON.stringify(error))),
    take: (data: unknown) => {
      const last = at(data, 'commandUpdated');
      const state = at(last, 'state');
      if (state !== states.at(-1)) states.push(state);
      const over = Object.entries(commandStates).some(([name, { ends }]) => name === state && ends);
      if (over) settle({ states, last });
    },
  };
}

async function firstOf(answers: AsyncIterable<unknown>): Promise<unknown> {
  for await (const answer of answers) return answer;
  return null;
}

/** Sends a command and watches it, both by graphql-ws. */
async function watched(name: string, more: object = {}): Promise<Watched> {
  const client = socketClient();
  const sent = await firstOf(client.iterate({ query: mutation, variables: inputOf(name, more) }));
  const { id, ended, take, failed } = watching(sent);
  client.subscribe(
    { query: subscription, variables: { id } },
    { next: ({ data }) => take(data), error: failed, complete: () => {} },
  );
  const seen = await ended;
  await client.dispose();
  return seen;
}

const inOrder = (states: readonly unknown[]) => {
  const names: unknown[] = Object.keys(commandStates);
  const places = states.map((state) => names.indexOf(state));
  expect(places).toEqual([...places].sort((a, b) => a - b));
};

describe('a command is sent and watched to its success', () => {
  const succeeded = ({ states }: Watched) => {
    expect([states[0], states.at(-1)]).toEqual(['QUEUED', 'SUCCEEDED']);
    inOrder(states);
  };

  it('by the graphql-ws client', async () => {
    service.simulator.fault({ kind: 'slow', on: ['command'], delayMs: 200, times: 1 });
    const seen = await watched('set_charge_limit', { params: { percent: 63 } });
    succeeded(seen);
    expect(seen.states).toContain('SENDING');
  });

  it('by the graphql-sse client', async () => {
    const client = createSseClient({
      url: `${url()}/stream`,
      headers: headers(),
      retryAttempts: 0,
    });
    const sent = await service.service.graphql(
      { query: mutation, variables: inputOf('flash_lights') },
      service.token,
    );
    const { id, ended, take, failed } = watching(await sent.json());
    client.subscribe(
      { query: subscription, variables: { id: String(id) } },
      { next: ({ data }) => take(data), error: failed, complete: () => {} },
    );
    succeeded(await ended);
    client.dispose();
  });

  it('by @urql/core', async () => {
    const socket = socketClient();
    const client = new Client({
      url: url(),
      fetchOptions: { headers: headers() },
      preferGetMethod: false,
      exchanges: [
        fetchExchange,
        subscriptionExchange({
          forwardSubscription: ({ query = '', variables }) => ({
            subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query, variables }, sink) }),
          }),
        }),
      ],
    });
    const sent = await client.mutation(mutation, inputOf('flash_lights')).toPromise();
    const { id, ended, take, failed } = watching(sent);
    const { unsubscribe } = client
      .subscription(subscription, { id })
      .subscribe(({ data, error }) => (error === undefined ? take(data) : failed(error)));
    succeeded(await ended);
    unsubscribe();
    await socket.dispose();
  });

  it('by @apollo/client', async () => {
    const socket = socketClient();
    const client = new ApolloClient({
      link: ApolloLink.split(
        ({ operationName }) => operationName === 'Watch',
        new GraphQLWsLink(socket),
        new HttpLink({ uri: url(), headers: headers() }),
      ),
      cache: new InMemoryCache(),
    });
    const sent = await client.mutate({
      mutation: gql(mutation),
      variables: inputOf('flash_lights'),
    });
    const { id, ended, take, failed } = watching(sent);
    const following = client
      .subscribe({ query: gql(subscription), variables: { id } })
      .subscribe({ next: ({ data }) => take(data), error: failed });
    succeeded(await ended);
    following.unsubscribe();
    client.stop();
    await socket.dispose();
  });
});

describe('a command is watched to its honest end', () => {
  type Case = { name: string; fault: Fault | 'never wakes'; ends: string; code: string };
  it.each<[string, Case]>([
    [
      'a vehicle that never wakes',
      {
        name: 'lock',
        fault: 'never wakes',
        ends: 'TIMED_OUT',
        code: 'vehicle_unavailable',
      },
    ],
    [
      'a refusal with its reason',
      {
        name: 'lock',
        fault: { kind: 'refused', reason: 'user_present' },
        ends: 'FAILED',
        code: 'precondition_failed',
      },
    ],
    [
      'no answer after it was sent',
      {
        name: 'honk_horn',
        fault: { kind: 'hang', on: ['command'] },
        ends: 'UNKNOWN',
        code: 'maker_timeout',
      },
    ],
    [
      'a vehicle that takes signed commands only',
      {
        name: 'lock',
        fault: { kind: 'protocol_required' },
        ends: 'FAILED',
        code: 'precondition_failed',
      },
    ],
    // The last one: it holds back what comes after it.
    [
      '429 from the maker',
      {
        name: 'flash_lights',
        fault: { kind: 'rate_limited', on: ['command'], retryAfterS: 500 },
        ends: 'FAILED',
        code: 'maker_rate_limited',
      },
    ],
  ])('with %s', async (_what, { name, fault, ends, code }) => {
    if (fault === 'never wakes') {
      service.car.state.awake = false;
      service.simulator.setWakeTime('never');
    } else service.simulator.fault(fault);
    const { states, last } = await watched(name);
    expect(states[0]).toBe('QUEUED');
    inOrder(states);
    expect(last).toMatchObject({ state: ends, failure: { code } });
  });
});
