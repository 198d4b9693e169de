import { makerApi } from '../maker/api.ts';
import type { Region } from '../maker/regions.ts';
import { type TelemetryError, telemetryErrors } from '../maker/telemetry-answers.ts';
import type { MakerAccount } from '../store/generated/prisma/client.ts';
import { applicationToken, registeredMaker } from './maker-application.ts';
import type { MakerCall } from './maker-door.ts';
import { apiError, tokenError } from './maker-failures.ts';

/** What a followed vehicle reported of its telemetry. */
export type VehicleTelemetryError = Omit<TelemetryError, 'vin'> & { publicId: string };

/**
 * What the followed vehicles of a maker account reported lately of their telemetry. The maker tells it to the application
 * for all its vehicles; those of others are left out. Empty where no application is set. Throws the maker words.
 */
export async function telemetryErrorsAt(
  { prisma, clock, door, principal }: MakerCall,
  { id, maker, region, baseUrl }: MakerAccount,
): Promise<VehicleTelemetryError[]> {
  const connector = registeredMaker(door);
  if (connector?.maker !== maker) return [];
  const at: Region = region === 'SIM' ? 'NA' : region;
  const outcome = await applicationToken(connector, at, clock);
  if (outcome.kind !== 'ok') throw tokenError(outcome);
  const { accessToken } = outcome.tokens;
  const api = makerApi({ baseUrl, token: () => Promise.resolve(accessToken), clock });
  const answer = await api.telemetryErrors();
  if (answer.kind !== 'ok') throw apiError(answer);
  const { vehicleIds } = principal;
  const own = await prisma.vehicle.findMany({
    where: {
      makerAccountId: id,
      archivedAt: null,
      ...(vehicleIds === null ? {} : { id: { in: [...vehicleIds] } }),
    },
    select: { vin: true, publicId: true },
  });
  const slugs = new Map(own.map(({ vin, publicId }) => [vin, publicId]));
  return telemetryErrors(answer.value).flatMap(({ vin, name, error }) => {
    const publicId = slugs.get(vin);
    return publicId === undefined ? [] : [{ publicId, name, error }];
  });
}
