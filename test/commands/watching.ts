import { ApolloClient, ApolloLink, CombinedGraphQLErrors, gql, HttpLink } from '@apollo/client';
import { InMemoryCache } from '@apollo/client/cache';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient, type Client as WsClient } from 'graphql-ws';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { commandStates } from '../../src/contract/command-states.ts';
import { at } from '../schema/ask.ts';

const mutation =
  'mutation Send($input: SendCommandInput!) { sendCommand(input: $input) { command { id state } } }';
const subscription =
  'subscription Watch($id: ID!) { commandUpdated(id: $id) { id state failure { code } } }';

/** Where a client goes, and with which token. */
export type Door = { baseUrl: string; token: string };

type Answer = { data?: unknown; errors?: unknown };

/** Takes what a subscription tells. */
type Sink = {
  next: (answer: Answer) => void;
  error: (error: unknown) => void;
  complete: () => void;
};

/** A client as its users have it: it sends and it follows. */
type Connected = {
  mutate: (variables: { input: object }) => Promise<Answer>;
  follow: (variables: { id: string }, sink: Sink) => void;
  close: () => unknown;
};

/** How often a client that lost the service comes again, and after which pause [ms]. */
const comesAgain = {
  retryAttempts: 600,
  pause: () => new Promise<void>((resolve) => setTimeout(resolve, 100)),
};

const urlOf = ({ baseUrl }: Door) => `${baseUrl}/graphql`;
const headersOf = ({ token }: Door) => ({ authorization: `Bearer ${token}` });

function socketTo(door: Door): WsClient {
  return createClient({
    url: urlOf(door).replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: headersOf(door),
    retryAttempts: comesAgain.retryAttempts,
    retryWait: comesAgain.pause,
    // A service that is away refuses the connection, which graphql-ws by itself does not try again.
    shouldRetry: () => true,
  });
}

async function firstOf(answers: AsyncIterable<Answer>): Promise<Answer> {
  for await (const answer of answers) return answer;
  return {};
}

/** The four clients of the issue, as their users set them up. */
const clients = {
  'graphql-ws': (door: Door): Connected => {
    const client = socketTo(door);
    return {
      mutate: (variables) => firstOf(client.iterate({ query: mutation, variables })),
      follow: (variables, sink) => void client.subscribe({ query: subscription, variables }, sink),
      close: () => client.dispose(),
    };
  },
  'graphql-sse': (door: Door): Connected => {
    const client = createSseClient({
      url: `${urlOf(door)}/stream`,
      headers: headersOf(door),
      retryAttempts: comesAgain.retryAttempts,
      retry: comesAgain.pause,
    });
    return {
      mutate: (variables) => firstOf(client.iterate({ query: mutation, variables })),
      follow: (variables, sink) => void client.subscribe({ query: subscription, variables }, sink),
      close: () => client.dispose(),
    };
  },
  '@urql/core': (door: Door): Connected => {
    const socket = socketTo(door);
    const client = new Client({
      url: urlOf(door),
      fetchOptions: { headers: headersOf(door) },
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
    const stops: (() => void)[] = [];
    return {
      mutate: async (variables) => {
        const { data, error } = await client.mutation(mutation, variables).toPromise();
        return { data, errors: error?.graphQLErrors };
      },
      follow: (variables, sink) => {
        const following = client.subscription(subscription, variables);
        const { unsubscribe } = following.subscribe(({ data, error }) =>
          error === undefined ? sink.next({ data }) : sink.error(error),
        );
        stops.push(unsubscribe);
      },
      close: () => {
        for (const stop of stops) stop();
        return socket.dispose();
      },
    };
  },
  '@apollo/client': (door: Door): Connected => {
    const socket = socketTo(door);
    const client = new ApolloClient({
      link: ApolloLink.split(
        ({ operationName }) => operationName === 'Watch',
        new GraphQLWsLink(socket),
        new HttpLink({ uri: urlOf(door), headers: headersOf(door) }),
      ),
      cache: new InMemoryCache(),
    });
    const stops: (() => void)[] = [];
    return {
      mutate: async (variables) => {
        const { data, error } = await client.mutate({
          mutation: gql(mutation),
          variables,
          errorPolicy: 'all',
        });
        return { data, errors: CombinedGraphQLErrors.is(error) ? error.errors : error };
      },
      follow: (variables, { next, error, complete }) => {
        const following = client.subscribe({ query: gql(subscription), variables }).subscribe({
          next: (told) => next({ data: told.data, errors: told.error }),
          error,
          complete,
        });
        stops.push(() => following.unsubscribe());
      },
      close: () => {
        for (const stop of stops) stop();
        client.stop();
        return socket.dispose();
      },
    };
  },
};

export type ClientName = keyof typeof clients;

/** Names of the four clients, for tests that are run with each. */
export const clientNames = Object.keys(clients).filter((name): name is ClientName =>
  Object.hasOwn(clients, name),
);

const order: unknown[] = Object.keys(commandStates);
const isOver = (state: unknown) =>
  Object.entries(commandStates).some(([name, { ends }]) => name === state && ends);

const reasonOf = (cause: unknown) =>
  cause instanceof Error ? String(cause) : JSON.stringify(cause);

/** A command that one client sent and follows; disposing closes the client. */
export type Watch = AsyncDisposable & {
  client: ClientName;
  /** What the mutation answered. */
  sent: Answer;
  id: string;
  /** Settles with the first state that the subscription told. */
  first: Promise<unknown>;
  /** Settles with the first state from among these that it tells, or has told. */
  seen: (...states: string[]) => Promise<unknown>;
  /** Settles when a state was told that nothing follows; rejects when the subscription fails or ends before. */
  ended: Promise<Ended>;
};

/** All that was told, from the mutation's answer on, without repetitions. */
export type Ended = { states: unknown[]; live: unknown[]; last: unknown };

/** Sends a command and follows it, all by one client. */
export async function watch(client: ClientName, door: Door, input: object): Promise<Watch> {
  const connected = clients[client](door);
  const sent = await connected.mutate({ input: { waitSeconds: 0, ...input } });
  const command = at(sent, 'data.sendCommand.command');
  const live: unknown[] = [];
  const looks = new Set<() => void>();
  let failed: { cause: unknown } | null = null;
  let last: unknown = null;
  const changed = () => {
    for (const look of [...looks]) look();
  };
  const until = <T>(found: () => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const thing = found();
        if (thing !== undefined) resolve(thing);
        else if (failed !== null) reject(new Error(`${client}: ${reasonOf(failed.cause)}`));
        else return;
        looks.delete(look);
      };
      looks.add(look);
      look();
    });
  const fail = (cause: unknown) => {
    failed ??= { cause };
    changed();
  };
  const id = String(at(command, 'id'));
  const sentState = at(command, 'state');
  if (command != null) {
    connected.follow(
      { id },
      {
        next: ({ data, errors }) => {
          if (errors !== undefined) return fail(errors);
          last = at(data, 'commandUpdated');
          const state = at(last, 'state');
          if (state !== live.at(-1)) live.push(state);
          changed();
        },
        error: fail,
        complete: () => fail('It is complete.'),
      },
    );
  } else fail(sent.errors);
  const first = until(() => live[0]);
  const ended = until(() => (isOver(live.at(-1)) ? true : undefined)).then(() => ({
    states: sentState === live[0] ? live : [sentState, ...live],
    live,
    last,
  }));
  // Who asks for them later is told all the same.
  for (const promise of [first, ended]) promise.catch(() => undefined);
  return {
    ...{ client, sent, id, first, ended },
    seen: (...states) => until(() => live.find((state) => states.includes(String(state)))),
    [Symbol.asyncDispose]: async () => {
      await connected.close();
    },
  };
}

/** Holds that a client saw its command alive, and from then on every state that it told in the order of a life. */
export function expectLive({ states, live }: Ended): void {
  expect(states[0]).toBe('QUEUED');
  expect(isOver(live[0])).toBe(false);
  expect(live.length).toBeGreaterThan(1);
  const places = states.map((state) => order.indexOf(state));
  expect(places).toEqual([...places].sort((a, b) => a - b));
}
