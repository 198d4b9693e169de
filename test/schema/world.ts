import { type IdType, newUuid, typeIdOf } from '../../src/base/ids.ts';
import type { Account, PrismaClient, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { commandArgs } from '../commands/command-args.ts';
import {
  aCharge,
  aCommand,
  aDrive,
  aMakerAccount,
  anAccount,
  anAlert,
  anInstallation,
  aParkedSpan,
  aPlace,
  aSoftwareUpdate,
  aStateSpan,
  aTariff,
  aTrip,
  aVehicle,
  aWebhook,
  aWebhookDelivery,
  now,
} from '../support/rows.ts';
import { EnumWord } from './documents.ts';

/** An account with something of everything, and the arguments that find each thing of it. */
export type World = {
  account: Account;
  vehicle: Vehicle;
  /** Arguments of root fields with required ones, by field. */
  args: Record<string, Record<string, unknown>>;
  ids: Ids;
  /** Puts back what a request may have deleted. */
  restore: () => Promise<void>;
};

/** Stored ids by type. */
export type Ids = { [T in IdType]?: string };

let made = 0;

/** Edits of things that are not there, so that a matrix of callers leaves the world as it is; `test/edits` has others. */
function editsOfNothing(): World['args'] {
  const id = (type: IdType) => typeIdOf(type, newUuid());
  const [drive, trip] = [{ id: id('Drive') }, { id: id('Trip') }];
  return {
    updateDrive: { ...drive, input: { note: 'x' } },
    mergeDrives: { input: { driveIds: [id('Drive'), id('Drive')] } },
    splitDrive: { ...drive, input: { at: new Date(now).toISOString() } },
    closeDrive: drive,
    deleteDrive: drive,
    updateCharge: { id: id('Charge'), input: { note: 'x' } },
    createTrip: { input: { driveIds: [id('Drive')] } },
    updateTrip: { ...trip, input: { name: 'x' } },
    mergeTrips: { input: { tripIds: [id('Trip'), id('Trip')] } },
    splitTrip: { ...trip, input: { driveId: id('Drive') } },
    closeTrip: trip,
    deleteTrip: trip,
    undoEdit: { id: id('HistoryEdit') },
  };
}

/** How often a matrix of callers may remove one thing of a kind. */
const SPARES = 24;

/** The id of another thing every time it is read, for what can be done with each thing once. */
async function spent(
  type: IdType,
  make: () => Promise<{ id: string }>,
): Promise<Record<string, unknown>> {
  const ids: string[] = [];
  for (let n = 0; n < SPARES; n += 1) ids.push(typeIdOf(type, (await make()).id));
  let next = 0;
  return {
    get id() {
      next += 1;
      return ids[(next - 1) % ids.length];
    },
  };
}

/** Such an account, with `vehicles` vehicles of `rows` rows each. */
export async function aWorld(prisma: PrismaClient, vehicles = 1, rows = 1): Promise<World> {
  made += 1;
  const account = await anAccount(prisma);
  const place = await aPlace(prisma, account);
  const tariff = await aTariff(prisma, account, { placeId: place.id });
  const makerAccount = await aMakerAccount(prisma, account);
  const webhook = await aWebhook(prisma, account);
  const delivery = await aWebhookDelivery(prisma, webhook);
  const version = `2026.${made}.${vehicles}.${rows}`;
  const update = await aSoftwareUpdate(prisma, version, 2);
  const ids: Ids = {};
  let first: Vehicle | null = null;
  for (let v = 0; v < vehicles; v++) {
    const vehicle = await aVehicle(prisma, account, { makerAccountId: makerAccount.id });
    first ??= vehicle;
    await prisma.vehicleState.create({
      data: { vehicleId: vehicle.id, sections: sectionsOf(v) },
    });
    for (let r = 0; r < rows; r++) {
      const day = 10 + r;
      const trip = await aTrip(prisma, vehicle, day, {
        startPlaceId: place.id,
        endPlaceId: place.id,
      });
      const link = { tripId: trip.id };
      const drive = await aDrive(prisma, vehicle, day, {
        ...link,
        startPlaceId: place.id,
        endPlaceId: place.id,
      });
      const charge = await aCharge(prisma, vehicle, day, { ...link, placeId: place.id });
      await prisma.chargeSegment.create({
        data: { chargeId: charge.id, ordinal: 0, startedAt: charge.startedAt, kind: 'AC' },
      });
      const command = await aCommand(prisma, vehicle, day);
      const span = await aStateSpan(prisma, vehicle, day);
      const parked = await aParkedSpan(prisma, vehicle, day, {
        placeId: r === 0 ? place.id : null,
        latitude: 50 + r,
      });
      const alert = await anAlert(prisma, vehicle, day);
      const edit = await prisma.historyEdit.create({
        data: {
          ...{ id: newUuid(), vehicleId: vehicle.id, kind: 'DRIVE_UPDATE', subjects: [drive.id] },
          ...{ undoing: {}, actor: 'test', createdAt: new Date(now) },
        },
      });
      ids.HistoryEdit ??= edit.id;
      const installation = await anInstallation(prisma, vehicle, update, day);
      ids.Drive ??= drive.id;
      ids.Charge ??= charge.id;
      ids.Trip ??= trip.id;
      ids.Command ??= command.id;
      ids.StateSpan ??= span.id;
      ids.ParkedSpan ??= parked.id;
      ids.Alert ??= alert.id;
      ids.SoftwareInstallation ??= installation.id;
    }
  }
  if (first === null) throw new Error('A world has a vehicle.');
  Object.assign(ids, {
    Account: account.id,
    Vehicle: first.id,
    Place: place.id,
    Tariff: tariff.id,
    MakerAccount: makerAccount.id,
    Webhook: webhook.id,
    WebhookDelivery: delivery.id,
    SoftwareUpdate: update.id,
  });
  const idOf = (type: IdType) => ({
    id: typeIdOf(type, ids[type] ?? ''),
  });
  const makerVehicle = { makerAccountId: idOf('MakerAccount').id, makerVehicleId: first.vin };
  return {
    account,
    vehicle: first,
    ids,
    restore: async () => {
      await prisma.webhook.createMany({ data: [webhook], skipDuplicates: true });
      await prisma.webhookDelivery.createMany({ data: [delivery], skipDuplicates: true });
    },
    args: {
      vehicle: { publicId: first.publicId },
      updateVehicle: { publicId: first.publicId, input: { name: 'Mine' } },
      drive: idOf('Drive'),
      charge: idOf('Charge'),
      trip: idOf('Trip'),
      command: idOf('Command'),
      commands: { publicId: first.publicId },
      ...commandArgs(first.publicId),
      cancelCommand: idOf('Command'),
      supportedCommands: { publicId: first.publicId },
      place: idOf('Place'),
      createPlace: { input: { name: 'Lake', latitude: 47, longitude: 9, radiusM: 50 } },
      updatePlace: { ...idOf('Place'), input: { name: 'Home' } },
      deletePlace: await spent('Place', () => aPlace(prisma, account, { name: 'Spare' })),
      tariff: idOf('Tariff'),
      createTariff: { input: { name: 'Night', currency: 'EUR', defaultRate: '0.30' } },
      updateTariff: { ...idOf('Tariff'), input: { name: 'Day' } },
      deleteTariff: await spent('Tariff', () => aTariff(prisma, account)),
      recomputeCosts: { input: {} },
      ...editsOfNothing(),
      importPlaces: {
        input: { format: new EnumWord('CSV'), data: 'name,latitude,longitude\nLake,47,9\n' },
      },
      makerAccount: idOf('MakerAccount'),
      refreshMakerAccount: idOf('MakerAccount'),
      reauthorizeMakerAccount: idOf('MakerAccount'),
      // Of nothing, so that a matrix of callers leaves the world as it is.
      unlinkMakerAccount: { id: typeIdOf('MakerAccount', newUuid()) },
      setMakerBudget: { id: typeIdOf('MakerAccount', newUuid()), input: { wakeLimit: 10 } },
      tellMakerTelemetry: idOf('MakerAccount'),
      endMakerTelemetry: idOf('MakerAccount'),
      addMakerVehicle: makerVehicle,
      removeMakerVehicle: { ...makerVehicle, makerVehicleId: 'no-such-vehicle' },
      linkMakerAccount: { input: { label: 'Ours' } },
      completeMakerLink: { input: { callbackUrl: 'https://example.org/?state=never-given' } },
      makerCallback: { state: 'never-given' },
      webhook: idOf('Webhook'),
      createWebhook: {
        input: { url: 'https://hooks.example.org/x', types: ['webhook.status_changed'] },
      },
      updateWebhook: { ...idOf('Webhook'), input: { description: 'Ours' } },
      rotateWebhookSecret: idOf('Webhook'),
      resumeWebhook: idOf('Webhook'),
      testWebhook: idOf('Webhook'),
      redeliverWebhook: { ...idOf('Webhook'), deliveryId: idOf('WebhookDelivery').id },
      deleteWebhook: idOf('Webhook'),
      node: idOf('Drive'),
      softwareUpdate: { version },
      updateAccount: { input: { name: 'Ada' } },
    },
  };
}

function sectionsOf(v: number) {
  const section = (values: Record<string, string | number | boolean>) => ({
    observedAt: now - 60_000,
    receivedAt: now - 50_000,
    source: 'POLL',
    values,
  });
  return {
    drive: section({
      latitude: 52.520008 + v,
      longitude: 13.404954,
      routeLatitude: 48,
      routeLongitude: 11,
    }),
    climate: section({ seatHeatFrontLeft: 2 }),
    tyres: section({ tyrePressureFlBar: 2.9 }),
  };
}
