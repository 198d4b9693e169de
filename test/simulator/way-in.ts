import { createIngestToken } from '../../src/actions/manage-ingest.ts';
import { createIntake } from '../../src/ingest/intake.ts';
import type { TelemetryRecord } from '../../src/simulator/telemetry.ts';
import { sendTelemetry } from '../../src/simulator/telemetry-radio.ts';
import type { PrismaClient } from '../../src/store/generated/prisma/client.ts';
import { ingestPlugin } from '../../src/transports/ingest/plugin.ts';
import { newAccount, newService } from '../auth/household.ts';
import { startHttpApp } from '../support/http-app.ts';

/** The service's way in for telemetry, over HTTP and with an ingest token. */
export type WayIn = AsyncDisposable & {
  /** Brings records in at a time (epoch ms); throws where the answer is not 200. */
  bring: (records: readonly TelemetryRecord[], now: number) => Promise<void>;
};

/** Opens it over a database, for as many scenarios as there are. */
export async function openWayIn(prisma: PrismaClient): Promise<WayIn> {
  const { clock, authenticator, access } = newService(prisma);
  const intake = createIntake({ prisma, clock });
  const app = await startHttpApp({
    routes: (http) => {
      http.register(ingestPlugin({ authenticator, intake, clock }));
    },
  });
  const accountId = await newAccount(prisma);
  const { token } = await createIngestToken(access, { accountId, name: 'telemetry server' });
  const to = { url: app.baseUrl, token };
  return {
    bring: async (records, now) => {
      clock.at = now;
      await sendTelemetry(records, to);
    },
    [Symbol.asyncDispose]: async () => {
      await app[Symbol.asyncDispose]();
      await authenticator.settle();
    },
  };
}
