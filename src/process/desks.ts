import { startRetention } from '../actions/retention.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config.ts';
import type { Disposables } from '../base/disposables.ts';
import type { Log } from '../base/log.ts';
import { packageVersion } from '../base/package-root.ts';
import { startAddressDesk } from '../ingest/address-desk.ts';
import { startPlaceDesk } from '../ingest/place-desk.ts';
import { startPump } from '../ingest/pump.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';

type DeskParts = { prisma: PrismaClient; clock: Clock; log: Log };

/** Starts what works on stored data by itself: journals, retention, places and addresses. Answers what journals came to. */
export function startDesks(config: Config, parts: DeskParts, started: Disposables) {
  const pump = startPump({ ...parts, keepDays: config.rawDays });
  started.add('journals', () => pump.close());
  const { eventDays, auditDays } = config;
  const retention = startRetention({ ...parts, eventDays, auditDays });
  started.add('retention', () => retention.close());
  const places = startPlaceDesk(parts);
  started.add('places', () => places.close());
  if (config.geocoderUrl !== null) {
    const geocoder = { baseUrl: config.geocoderUrl, userAgent: `odograph/${packageVersion}` };
    const addresses = startAddressDesk({ ...parts, geocoder });
    started.add('addresses', () => addresses.close());
  }
  return { journals: pump.counts };
}
