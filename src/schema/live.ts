import { mayHear } from '../actions/hearing.ts';
import { ServiceError } from '../base/errors.ts';
import { newestPosition, type StoredEvent } from '../store/outbox-read.ts';
import { visibleVehicles } from '../store/visible.ts';
import { builder } from './builder.ts';
import { type Context, caller } from './context.ts';
import { type Following, following } from './followed.ts';
import { UntoldEvent } from './untold-event.ts';
import { vehicleNamed } from './vehicle.ts';

builder.subscriptionType({
  description:
    'What happens, as it happens. The first answer is how things are now, so nothing falls between reading and following. Whoever reads slowly is told the latest state of each thing, not every state between.',
});

/** Vehicles that one subscription names. */
const MOST_CHOSEN = 200;

/** What a subscription tells of, by stored ids; the row behind one is read when it is told. */
export type Watched = {
  /** Stored ids of the vehicles that were named, as `chosenVehicles` found them. */
  chosen?: ReadonlySet<string> | null;
  /** Id of the thing that an event is about; null where it is about something else. */
  about: (event: StoredEvent) => string | null;
  /** Ids of the things that are told first. */
  current: () => Promise<readonly string[]>;
  /** Whether nothing can come after an event. */
  isLast?: (event: StoredEvent) => boolean;
  /** Whether nothing can come after what is told first; asked after `current`. */
  isOver?: () => boolean;
};

/**
 * Things of the caller's account: first the current ones, then each as something happens to it. What is told first is read
 * after the following began, and what had happened by then is left out: nothing is missed and nothing told twice.
 */
export function follow(context: Context, watched: Watched): Following {
  const { feed, prisma } = context;
  const principal = caller(context);
  const { chosen = null, about, current, isLast = () => false, isOver = () => false } = watched;
  return following({
    of: [...(chosen ?? [])].join(),
    async follow({ told, over }) {
      const leave = await feed.follow(principal.accountId, (event) => {
        if (!mayHear(principal, event)) return;
        const id = about(event);
        if (id === null) return;
        told(id, event.position);
        if (isLast(event)) over();
      });
      const unhook = feed.whenClosed(over);
      return () => {
        leave();
        unhook();
      };
    },
    async first() {
      const upTo = await newestPosition(prisma, principal.accountId);
      const ids = await current();
      return { ids, upTo, over: isOver() };
    },
  });
}

/** The text under a name in an event's data; null where there is none. */
export function told(event: StoredEvent, name: string): string | null {
  const { data } = event;
  if (typeof data !== 'object' || data === null) return null;
  const value: unknown = Reflect.get(data, name);
  return typeof value === 'string' ? value : null;
}

/** The row of an event's subject. Throws UntoldEvent where it is gone, or hidden from the caller by now. */
export async function present<Row>(row: Promise<Row | null>): Promise<Row> {
  const found = await row;
  if (found === null) throw new UntoldEvent('The subject of an event is gone.');
  return found;
}

/**
 * Stored ids of the caller's vehicles with these public ids; null where none are named, which stands for all. Throws
 * `not_found` for one that is missing or somebody else's, `validation_failed` for too many.
 */
export async function chosenVehicles(
  context: Context,
  publicIds: readonly string[] | null | undefined,
): Promise<ReadonlySet<string> | null> {
  if (publicIds == null) return null;
  if (publicIds.length > MOST_CHOSEN) {
    const sentence = `Give at most ${MOST_CHOSEN} vehicles.`;
    throw new ServiceError('validation_failed', `publicIds: ${sentence}`, {
      fields: { publicIds: [sentence] },
    });
  }
  const chosen = new Set<string>();
  for (const publicId of publicIds) {
    const vehicle = await context.prisma.vehicle.findFirst({
      where: vehicleNamed(publicId, context),
      select: { id: true },
    });
    if (vehicle === null) throw new ServiceError('not_found', `No vehicle ${publicId}.`);
    chosen.add(vehicle.id);
  }
  return chosen;
}

/** Stored ids of the chosen vehicles, or of all that the caller may see. */
export async function vehicleIdsOf(
  context: Context,
  chosen: ReadonlySet<string> | null,
): Promise<string[]> {
  if (chosen !== null) return [...chosen];
  const rows = await context.prisma.vehicle.findMany({
    where: { ...visibleVehicles(caller(context)), archivedAt: null },
    select: { id: true },
  });
  return rows.map((row) => row.id);
}
