import type { ExecutionResult } from 'graphql';
import { isCredentialOver } from '../auth/caller-watch.ts';
import { anyoneOf, viewOf } from '../auth/view.ts';
import type { Context } from './context.ts';
import type { Followed } from './followed.ts';
import {
  begin,
  isNews,
  keep,
  type Listener,
  type Member,
  newMember,
  type Subscriber,
  takes,
} from './member.ts';
import { secondTry } from './second-try.ts';

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
  /** The answer about a thing; null where it is gone or hidden. Rejects where it may succeed later. */
  answer: (id: string, context: Context) => Promise<ExecutionResult | null>;
  /** Called once, when it takes no more members. */
  closed: () => void;
  /** Called with the first of several causes for which something could not be told. */
  failed: (cause: unknown) => void;
  /** Pause before what could not be told is tried again [ms]; one second unless given. */
  retryMs?: number;
};

/** An answer; null where nothing is told, `failed` where it could not be made and is tried again. */
type Made = ExecutionResult | null | 'failed';

type Told = { id: string; position: number; result: ExecutionResult | null };

/**
 * Executes once for every event and gives all members the same answer. Before each, the callers are looked up: one whose
 * credential has ended is told the reason, one whose view changed an answer of its own. A member that does not keep up
 * holds the ids of what it was not told, and holds up nobody. What fails for any other reason, such as a database that is
 * away, ends nobody: it is tried again.
 */
export function createTopic(parts: TopicParts): Topic {
  const { followed, view, answer, closed } = parts;
  const callers = new Map<string, Set<Member>>();
  /** Things that something happened to and that are still to be told, with the place of the latest event. */
  const coming = new Map<string, number>();
  const later = secondTry((missed) => {
    for (const [id, position] of missed) coming.set(id, Math.max(position, coming.get(id) ?? 0));
    if (!telling) void tellAll();
    for (const members of callers.values()) for (const member of members) resume(member);
  }, parts.retryMs);
  let newest: Told | null = null;
  let telling = false;
  let failing = false;
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
    const told = await Promise.resolve(shared).catch((): Made => 'failed');
    if (shared !== null && told !== 'failed') newest = { id, position, result: told };
    // From here on nothing is awaited: to a member that catches up, a thing is still coming or was told.
    const latest = coming.get(id);
    coming.delete(id);
    if (latest !== undefined && latest !== position) coming.set(id, latest);
    for (const { members, result } of answers) {
      if (result === 'failed') later.note(id, position);
      else if (result !== null) {
        for (const member of [...members]) {
          if (!isNews(member, id, position)) continue;
          if (takes(member)) tell(member, result);
          else keep(member, id);
        }
      }
    }
  }

  /** What the members of one credential are told; null where that is nothing. */
  async function answerFor(
    members: ReadonlySet<Member>,
    id: string,
    shared: (context: Context) => Promise<ExecutionResult | null>,
  ): Promise<Made> {
    const [any] = members;
    if (any === undefined) return null;
    try {
      const context = await any.renew();
      const alike = viewOf(context.principal) === view;
      const result = await (alike ? shared(context) : answer(id, context));
      failing = false;
      return result;
    } catch (cause) {
      if (!isCredentialOver(cause)) {
        if (!failing) parts.failed(cause);
        failing = true;
        return 'failed';
      }
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
      if (result === 'failed') {
        keep(member, id);
        later.soon();
        break;
      }
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
    const complete = last || (over && !telling && later.isDone());
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
    if (callers.size > 0) return;
    later.stop();
    end();
  }

  return {
    async join(who, own) {
      const member = newMember(who);
      const members = callers.get(who.credential) ?? new Set();
      callers.set(who.credential, members.add(member));
      try {
        await begun;
        begin(member, await own.first());
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
