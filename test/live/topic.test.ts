import type { ExecutionResult } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { viewOf } from '../../src/auth/view.ts';
import { ServiceError } from '../../src/base/errors.ts';
import type { Context } from '../../src/schema/context.ts';
import type { First, Followed, Follower } from '../../src/schema/followed.ts';
import type { Listener } from '../../src/schema/member.ts';
import { createTopic } from '../../src/schema/topic.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aContext } from '../support/rows.ts';

let db: ScratchDatabase;
beforeAll(async () => {
  db = await scratchDatabase('embedded');
});
afterAll(() => db.close());

const nothing: First = { ids: [], upTo: 0, over: false };

/** A topic whose events, first answers and look-ups the test makes; an answer is the id and how often it was asked. */
function aTopic(options: { answer?: () => void } = {}) {
  const context: Context = aContext(db.prisma, null);
  let follower: Follower | null = null;
  let asked = 0;
  const failures: unknown[] = [];
  const followed = (first: () => Promise<First>): Followed => ({
    follow: async (told) => {
      follower = told;
      return () => {};
    },
    first,
  });
  const topic = createTopic({
    followed: followed(async () => nothing),
    view: viewOf(null),
    retryMs: 20,
    answer: async (id) => {
      asked += 1;
      options.answer?.();
      return { data: { id, asked } };
    },
    closed: () => {},
    failed: (cause) => failures.push(cause),
  });
  return {
    topic,
    context,
    followed,
    happens: (id: string, position: number) => follower?.told(id, position),
    over: () => follower?.over(),
    asked: () => asked,
    failures,
  };
}

/** A listener that is always ready, and how long to wait for what it is told. */
function anEar() {
  const told: ExecutionResult[] = [];
  const ends: unknown[] = [];
  const looks = new Set<() => void>();
  const changed = () => {
    for (const look of [...looks]) look();
  };
  const listener: Listener = {
    ready: () => true,
    tell: (answer) => {
      told.push(answer);
      changed();
    },
    over: (reason) => {
      ends.push(reason?.cause ?? 'complete');
      changed();
    },
  };
  const until = (reached: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!reached()) return;
        looks.delete(look);
        resolve();
      };
      looks.add(look);
      look();
    });
  return { listener, told, ends, until, ids: () => told.map(({ data }) => data?.id) };
}

/** Lets everything go on that waits for nothing but itself. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('what happens while somebody joins', () => {
  it.each([
    ['is told where it is newer than the first answer', 5, ['a']],
    ['is not told where the first answer has it', 7, []],
  ])('%s', async (_what, upTo, wanted) => {
    const { topic, context, followed, happens } = aTopic();
    let answerFirst = (_first: First) => {};
    const first = new Promise<First>((resolve) => {
      answerFirst = resolve;
    });
    const who = { credential: 'one', renew: async () => context };
    const joining = topic.join(
      who,
      followed(() => first),
    );
    await settled();
    happens('a', 7);
    await settled();
    answerFirst({ ...nothing, upTo });
    const { listener, ids, until } = anEar();
    topic.listen(await joining, listener);
    happens('end', 8);
    await until(() => ids().includes('end'));
    expect(ids()).toEqual([...wanted, 'end']);
  });
});

describe('a look-up that fails', () => {
  it('is made again, and ends nothing: what happened is told when it succeeds', async () => {
    const { topic, context, followed, happens, over, failures } = aTopic();
    let away = true;
    const renew = async () => {
      if (away) throw new Error('Connection terminated unexpectedly');
      return context;
    };
    const { listener, ids, ends, until } = anEar();
    const own = followed(async () => nothing);
    topic.listen(await topic.join({ credential: 'one', renew }, own), listener);
    happens('a', 1);
    over();
    await settled();
    expect([ids(), ends]).toEqual([[], []]);
    away = false;
    await until(() => ends.length > 0);
    expect([ids(), ends]).toEqual([['a'], ['complete']]);
    expect(failures).toHaveLength(1);
  });

  it('ends the members of that credential alone where the credential is over', async () => {
    const { topic, context, followed, happens } = aTopic();
    const over = new ServiceError('invalid_token', 'The token was revoked.');
    const own = followed(async () => nothing);
    const [bad, good] = [anEar(), anEar()];
    const refused = { credential: 'one', renew: () => Promise.reject(over) };
    topic.listen(await topic.join(refused, own), bad.listener);
    topic.listen(
      await topic.join({ credential: 'two', renew: async () => context }, own),
      good.listener,
    );
    happens('a', 1);
    await good.until(() => good.told.length > 0);
    expect([bad.ids(), bad.ends, good.ids(), good.ends]).toEqual([[], [over], ['a'], []]);
  });

  it('does not keep the first answer from who joined meanwhile', async () => {
    const { topic, context, followed } = aTopic();
    let failures = 2;
    const renew = async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('Connection terminated unexpectedly');
      return context;
    };
    const { listener, ids, ends, until } = anEar();
    const own = followed(async () => ({ ids: ['a', 'b'], upTo: 3, over: true }));
    topic.listen(await topic.join({ credential: 'one', renew }, own), listener);
    await until(() => ends.length > 0);
    expect([[...ids()].sort(), ends]).toEqual([['a', 'b'], ['complete']]);
  });

  it('of an answer is made again, once for all', async () => {
    let away = true;
    const aside = aTopic({
      answer: () => {
        if (away) throw new Error('Connection terminated unexpectedly');
      },
    });
    const { topic, context, followed, happens } = aside;
    const own = followed(async () => nothing);
    const ears = [anEar(), anEar(), anEar()];
    for (const [index, { listener }] of ears.entries()) {
      const who = { credential: String(index), renew: async () => context };
      topic.listen(await topic.join(who, own), listener);
    }
    happens('a', 1);
    await settled();
    const before = aside.asked();
    away = false;
    await Promise.all(ears.map(({ until, told }) => until(() => told.length > 0)));
    expect(ears.map(({ told }) => told.length)).toEqual([1, 1, 1]);
    expect(aside.asked() - before).toBe(1);
  });
});
