import type { ExecutionResult } from 'graphql';
import { anyoneOf, viewOf } from '../auth/view.ts';
import type { Context } from './context.ts';
import type { Followed } from './followed.ts';
import { keep, type Listener, type Member, newMember, type Subscriber, takes } from './member.ts';

/** Equal subscriptions, followed and executed once for all of them. */
export type Topic = {
  /** Makes somebody a member; `own` is what the subscription itself follows. Throws what following throws. */
  join: (who: Subscriber, own: Followed) => Promise<Member>;
  /** Begins to tell a member. */
  listen: (member: Member, listener: Listener) => void;
  /** Tells a member that was not told all. */
  resume: (member: Member) => void;
  /** Ends a subscription for a reason of its own. */
  fail: (member: Member, cause: unknown) => void;
  leave: (member: Member) => void;
};

/** What a topic is made of. */
export type TopicParts = {
  followed: Followed;
  /** The view (`viewOf`) that its members share. */
  view: string;
  /** The answer about a thing; null where it is gone or hidden. Never rejects. */
  answer: (id: string, context: Context) => Promise<ExecutionResult | null>;
  /** Called once, when it takes no more members. */
  closed: () => void;
};

type Told = { id: string; position: number; result: ExecutionResult | null };

/**
 * Executes once for every event and gives all members the same answer. Before each, the callers are looked up: one whose
 * credential has ended is told the reason, one whose view changed an answer of its own. A member that does not keep up
 * holds the ids of what it was not told, and holds up nobody.
 */
export function createTopic({ followed, view, answer, closed }: TopicParts): Topic {
  const callers = new Map<string, Set<Member>>();
  /** Things that something happened to and that are still to be told, with the place of the latest event. */
  const coming = new Map<string, number>();
  let newest: Told | null = null;
  let telling = false;
  let over = false;
  let unfollow: (() => void) | null = null;
  const begun = followed
    .follow({
      told(id, position) {
        coming.set(id, position);
        if (!telling) void tellAll();
      },
      over: end,
    })
    .then((stop) => {
      unfollow = stop;
      if (over) stop();
    });

  /** What came is still told; whoever comes now begins a topic of its own. */
  function end(): void {
    if (over) return;
    over = true;
    closed();
    unfollow?.();
    if (!telling) settleAll();
  }

  async function tellAll(): Promise<void> {
    telling = true;
    for (const [id, position] of coming) await tellOf(id, position);
    telling = false;
    if (over) settleAll();
  }

  async function tellOf(id: string, position: number): Promise<void> {
    let shared: Promise<ExecutionResult | null> | null = null;
    const once = (context: Context) => {
      shared ??= answer(id, { ...context, principal: anyoneOf(context.principal) });
      return shared;
    };
    const answers = await Promise.all(
      [...callers.values()].map(async (members) => {
        return { members, result: await answerFor(members, id, once) };
      }),
    );
    if (shared !== null) newest = { id, position, result: await shared };
    // From here on nothing is awaited: to a member that catches up, a thing is still coming or was told.
    const latest = coming.get(id);
    coming.delete(id);
    if (latest !== undefined && latest !== position) coming.set(id, latest);
    for (const { members, result } of answers) {
      if (result === null) continue;
      for (const member of [...members]) {
        if (position <= member.known) continue;
        if (takes(member)) tell(member, result);
        else keep(member, id);
      }
    }
  }

  /** What the members of one credential are told; null where that is nothing. */
  async function answerFor(
    members: ReadonlySet<Member>,
    id: string,
    shared: (context: Context) => Promise<ExecutionResult | null>,
  ): Promise<ExecutionResult | null> {
    const [any] = members;
    if (any === undefined) return null;
    try {
      const context = await any.renew();
      return await (viewOf(context.principal) === view ? shared(context) : answer(id, context));
    } catch (cause) {
      for (const member of [...members]) fail(member, cause);
      return null;
    }
  }

  /** A door that breaks is no matter of the others. */
  function tell(member: Member, result: ExecutionResult): void {
    try {
      member.listener?.tell(result);
    } catch (cause) {
      fail(member, cause);
    }
  }

  async function catchUp(member: Member): Promise<void> {
    const { waiting, known } = member;
    member.busy = true;
    for (const id of waiting) {
      if (member.listener?.ready() !== true) break;
      waiting.delete(id);
      if ((coming.get(id) ?? 0) > known) continue;
      // What was executed for an event that the member waits for is as new as anybody is told.
      const reused = newest?.id === id && newest.position > known ? newest : null;
      const result = await answerFor(new Set([member]), id, async (context) =>
        reused === null ? answer(id, context) : reused.result,
      );
      if (result !== null) tell(member, result);
    }
    member.busy = false;
    settle(member);
  }

  function resume(member: Member): void {
    if (member.listener === null || member.busy) return;
    if (member.waiting.size > 0) void catchUp(member);
    else settle(member);
  }

  function settleAll(): void {
    for (const members of [...callers.values()]) for (const member of [...members]) settle(member);
  }

  /** Ends the subscription of a member that was told all there is. */
  function settle(member: Member): void {
    const { listener, busy, waiting, last } = member;
    const complete = last || (over && !telling);
    if (listener === null || busy || waiting.size > 0 || !complete) return;
    leave(member);
    listener.over();
  }

  function fail(member: Member, cause: unknown): void {
    const { listener } = member;
    leave(member, { cause });
    listener?.over({ cause });
  }

  function leave(member: Member, reason?: { cause: unknown }): void {
    member.gone ??= { reason };
    member.listener = null;
    member.waiting.clear();
    const members = callers.get(member.credential);
    members?.delete(member);
    if (members?.size === 0) callers.delete(member.credential);
    if (callers.size === 0) end();
  }

  return {
    async join(who, own) {
      const member = newMember(who);
      const members = callers.get(who.credential) ?? new Set();
      callers.set(who.credential, members.add(member));
      try {
        await begun;
        const first = await own.first();
        member.known = first.upTo;
        member.last = first.over;
        for (const id of first.ids) member.waiting.add(id);
        return member;
      } catch (error) {
        leave(member);
        throw error;
      }
    },
    listen(member, listener) {
      if (member.gone !== null) {
        listener.over(member.gone.reason);
        return;
      }
      member.listener = listener;
      resume(member);
    },
    resume,
    fail,
    leave: (member) => leave(member),
  };
}
