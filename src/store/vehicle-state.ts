import type { SectionState, VehicleChanges } from '../contract/effects.ts';
import type { Section, SignalValues } from '../contract/signals.ts';
import type { Prisma } from './generated/prisma/client.ts';

type News = {
  sections: ReadonlyMap<Section, SectionState>;
  raw: Record<string, unknown>;
  changes: VehicleChanges;
};

/** Brings the vehicle's row and its last known state up to date; values that were not spoken of stay. */
export async function writeVehicle(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  news: News,
): Promise<void> {
  const data = columnsOf(news.changes);
  if (Object.keys(data).length > 0) await tx.vehicle.update({ where: { id: vehicleId }, data });
  if (news.sections.size === 0 && Object.keys(news.raw).length === 0) return;
  // Per section the new values go over the old ones; `||` on the outer level alone would drop what was not sent.
  await tx.$executeRawUnsafe(
    `INSERT INTO vehicle_state (vehicle_id, sections, raw, updated_at) VALUES ($1::uuid, $2::jsonb, $3::jsonb, now())
     ON CONFLICT (vehicle_id) DO UPDATE SET
       sections = vehicle_state.sections || (
         SELECT coalesce(jsonb_object_agg(news.key, news.value || jsonb_build_object(
           'values', coalesce(vehicle_state.sections -> news.key -> 'values', '{}'::jsonb) || (news.value -> 'values'))), '{}'::jsonb)
         FROM jsonb_each(EXCLUDED.sections) AS news),
       raw = vehicle_state.raw || EXCLUDED.raw,
       updated_at = now()`,
    vehicleId,
    JSON.stringify(Object.fromEntries(news.sections)),
    JSON.stringify(news.raw),
  );
}

function columnsOf(changes: VehicleChanges): Prisma.VehicleUpdateInput {
  const { status, statusSince, connectivity, lastSeenAt, config } = changes;
  return {
    ...(status === undefined ? {} : { status }),
    ...(statusSince === undefined ? {} : { statusSince: new Date(statusSince) }),
    ...(connectivity === undefined ? {} : { connectivity }),
    ...(lastSeenAt === undefined ? {} : { lastSeenAt: new Date(lastSeenAt) }),
    ...(config === undefined ? {} : configColumns(config)),
  };
}

function configColumns(config: SignalValues): Prisma.VehicleUpdateInput {
  const columns = {
    makerName: config.vehicleName,
    model: config.model,
    modelCode: config.modelCode,
    trim: config.trim,
    exteriorColor: config.exteriorColor,
    wheelType: config.wheelType,
    spoilerType: config.spoilerType,
    roofColor: config.roofColor,
    rightHandDrive: config.rightHandDrive,
    chargePortType: config.chargePortType,
    driverAssistHw: config.driverAssistHw,
  };
  // A vehicle that does not say keeps what it said before.
  const said = Object.fromEntries(Object.entries(columns).filter(([, value]) => value != null));
  const capabilities = capabilitiesOf(config);
  return capabilities === null ? said : { ...said, capabilities };
}

const capabilitySignals = {
  SUNROOF: 'hasSunroof',
  SEAT_COOLING: 'hasSeatCooling',
  POWERED_TRUNK: 'canActuateTrunks',
  SENTRY: 'sentryAvailable',
  REMOTE_START: 'remoteStartSupported',
} as const satisfies Record<string, keyof SignalValues>;

/** What the vehicle can do, or null when the observation tells of nothing. */
function capabilitiesOf(config: SignalValues): string[] | null {
  const rows = Object.entries(capabilitySignals);
  if (rows.every(([, signal]) => config[signal] == null)) return null;
  return rows.filter(([, signal]) => config[signal] === true).map(([capability]) => capability);
}
