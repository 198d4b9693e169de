import type { Folded } from '../store/history.ts';

type News = Folded['events'][number];

/** Of several events that only say that something went on, the last: a commit of a stream holds many of each. */
export function withoutRepeats(events: readonly News[]): News[] {
  const byKey = new Map<string, News>();
  events.forEach((event, index) => {
    const { driveId, chargeId, tripId } = event.data;
    const subject = driveId ?? chargeId ?? tripId ?? '';
    const key = event.type.endsWith('updated') ? `${event.type} ${subject}` : String(index);
    const before = byKey.get(key);
    byKey.delete(key);
    byKey.set(key, before === undefined ? event : joined(before, event));
  });
  return [...byKey.values()];
}

/** An update of the state tells which sections changed: those of both. */
function joined(before: News, event: News): News {
  const { sections: earlier } = before.data;
  const { sections } = event.data;
  if (!Array.isArray(earlier) || !Array.isArray(sections)) return event;
  return { ...event, data: { ...event.data, sections: [...new Set([...earlier, ...sections])] } };
}

/** What is told after a vehicle was reduced anew: whatever was still going on at `from` (epoch ms), or came after it. */
export function newsOfRewriting(folded: Folded, from: number): News[] {
  const touched = (row: { endedAt: number | null }) => row.endedAt === null || row.endedAt >= from;
  const drives = [...folded.drives.values()].filter(touched).map(
    ({ id, state }): News => ({
      kind: 'event',
      type: 'drive.updated',
      occurredAt: from,
      data: { driveId: id, state },
    }),
  );
  const charges = [...folded.charges.values()]
    .filter(({ row }) => touched(row))
    .map(
      ({ row }): News => ({
        kind: 'event',
        type: 'charge.updated',
        occurredAt: from,
        data: { chargeId: row.id, state: row.state },
      }),
    );
  const trips = [...folded.trips.values()]
    .filter(({ row }) => touched(row))
    .map(
      ({ row }): News => ({
        kind: 'event',
        type: 'trip.updated',
        occurredAt: from,
        data: { tripId: row.id, state: row.state },
      }),
    );
  return [...drives, ...charges, ...trips];
}
