import { closeDrive, closeTrip } from '../actions/close-history.ts';
import { updateCharge } from '../actions/edit-charge.ts';
import { deleteDrive, mergeDrives, splitDrive, updateDrive } from '../actions/edit-drives.ts';
import {
  createTrip,
  deleteTrip,
  mergeTrips,
  splitTrip,
  updateTrip,
} from '../actions/edit-trips.ts';
import { undoEdit } from '../actions/undo-edit.ts';
import { builder } from './builder.ts';
import type { Guard } from './connection.ts';
import { accountCall } from './context.ts';
import { HistoryEditPayload as Payload } from './edit.ts';
import { DrivePurpose } from './enums.ts';

const controls = { controls: true } as const satisfies Guard;

const UpdateDriveInput = builder.inputType('UpdateDriveInput', {
  description: 'What to put on a drive; what is left out stays.',
  fields: (t) => ({
    tags: t.stringList({ description: 'All its tags, at most 10 of at most 40 characters.' }),
    purpose: t.field({ type: DrivePurpose, description: 'Why it was made; null for no purpose.' }),
    note: t.string({ description: 'Your note; null removes it.' }),
    driver: t.string({ description: 'Who drove; null for nobody known.' }),
  }),
});

const CostInput = builder.inputType('CostInput', {
  description: 'What something cost.',
  fields: (t) => ({
    amount: t.field({
      type: 'Decimal',
      required: true,
      description: 'Amount in major units of the currency.',
    }),
    currency: t.string({ required: true, description: 'Currency, ISO 4217.' }),
  }),
});

const UpdateChargeInput = builder.inputType('UpdateChargeInput', {
  description: 'What to put on a charge; what is left out stays.',
  fields: (t) => ({
    tags: t.stringList({ description: 'All its tags, at most 10 of at most 40 characters.' }),
    note: t.string({ description: 'Your note; null removes it.' }),
    cost: t.field({
      type: CostInput,
      description: 'What it cost; null has it computed by the tariff.',
    }),
  }),
});

const MergeDrivesInput = builder.inputType('MergeDrivesInput', {
  description: 'Drives to make one of.',
  fields: (t) => ({
    driveIds: t.idList({ required: true, description: 'Ids of drives that follow each other.' }),
  }),
});

const SplitDriveInput = builder.inputType('SplitDriveInput', {
  description: 'Where to cut a drive.',
  fields: (t) => ({
    at: t.field({ type: 'DateTime', required: true, description: 'A time on the drive.' }),
  }),
});

const CreateTripInput = builder.inputType('CreateTripInput', {
  description: 'Drives to group.',
  fields: (t) => ({
    driveIds: t.idList({
      required: true,
      description: 'Ids of the drives; the charges between them come along.',
    }),
    name: t.string({ description: 'Name of the trip.' }),
    tags: t.stringList({ description: 'Its tags.' }),
  }),
});

const UpdateTripInput = builder.inputType('UpdateTripInput', {
  description: 'What to put on a trip; what is left out stays.',
  fields: (t) => ({
    name: t.string({ description: 'Its name; null removes it.' }),
    tags: t.stringList({ description: 'All its tags, at most 10 of at most 40 characters.' }),
  }),
});

const MergeTripsInput = builder.inputType('MergeTripsInput', {
  description: 'Trips to make one of.',
  fields: (t) => ({ tripIds: t.idList({ required: true, description: 'Ids of the trips.' }) }),
});

const SplitTripInput = builder.inputType('SplitTripInput', {
  description: 'Where to cut a trip.',
  fields: (t) => ({
    driveId: t.id({
      required: true,
      description: 'Id of the drive that the second one begins with.',
    }),
  }),
});

const within = builder.args((t) => ({
  publicId: t.id({ description: 'Slug of its vehicle; in any of yours when left out.' }),
}));

const one = builder.args((t) => ({
  publicId: t.id({ description: 'Slug of its vehicle; in any of yours when left out.' }),
  id: t.id({ required: true, description: 'Id of the thing.' }),
}));

/** Where a thing is looked for. */
function at<A extends { publicId?: string | null }>({ publicId, ...args }: A) {
  return { ...args, publicId: publicId ?? null };
}

const shared = { type: Payload, authScopes: controls } as const;

builder.mutationFields((t) => ({
  updateDrive: t.field({
    ...shared,
    description: 'Puts tags, purpose, note or driver on a drive.',
    args: {
      ...one,
      input: t.arg({ type: UpdateDriveInput, required: true, description: 'What to change.' }),
    },
    resolve: (_root, { input, ...args }, context) =>
      updateDrive(accountCall(context), at(args), input),
  }),
  mergeDrives: t.field({
    ...shared,
    description: 'Makes one drive of several that follow each other.',
    args: {
      ...within,
      input: t.arg({ type: MergeDrivesInput, required: true, description: 'The drives.' }),
    },
    resolve: (_root, { input, ...args }, context) =>
      mergeDrives(accountCall(context), { ...at(args), ...input }),
  }),
  splitDrive: t.field({
    ...shared,
    description: 'Cuts a drive in two.',
    args: {
      ...one,
      input: t.arg({ type: SplitDriveInput, required: true, description: 'Where to cut it.' }),
    },
    resolve: (_root, { input, ...args }, context) =>
      splitDrive(accountCall(context), { ...at(args), ...input }),
  }),
  closeDrive: t.field({
    ...shared,
    description: 'Ends a drive that is under way, at its last sample.',
    args: one,
    resolve: (_root, args, context) => closeDrive(accountCall(context), at(args)),
  }),
  deleteDrive: t.field({
    ...shared,
    description: 'Deletes a drive; it is kept for the undo.',
    args: one,
    resolve: (_root, args, context) => deleteDrive(accountCall(context), at(args)),
  }),
  updateCharge: t.field({
    ...shared,
    description: 'Puts tags, a note or a cost on a charge.',
    args: {
      ...one,
      input: t.arg({ type: UpdateChargeInput, required: true, description: 'What to change.' }),
    },
    resolve: (_root, { input, ...args }, context) =>
      updateCharge(accountCall(context), at(args), input),
  }),
  createTrip: t.field({
    ...shared,
    description: 'Groups drives, with the charges between them, into a trip.',
    args: {
      ...within,
      input: t.arg({ type: CreateTripInput, required: true, description: 'The drives.' }),
    },
    resolve: (_root, { input, ...args }, context) =>
      createTrip(accountCall(context), { ...at(args), ...input }),
  }),
  updateTrip: t.field({
    ...shared,
    description: 'Names a trip or puts tags on it.',
    args: {
      ...one,
      input: t.arg({ type: UpdateTripInput, required: true, description: 'What to change.' }),
    },
    resolve: (_root, { input, ...args }, context) =>
      updateTrip(accountCall(context), at(args), input),
  }),
  mergeTrips: t.field({
    ...shared,
    description: 'Makes one trip of several.',
    args: {
      ...within,
      input: t.arg({ type: MergeTripsInput, required: true, description: 'The trips.' }),
    },
    resolve: (_root, { input, ...args }, context) =>
      mergeTrips(accountCall(context), { ...at(args), ...input }),
  }),
  splitTrip: t.field({
    ...shared,
    description: 'Cuts a trip in two before one of its drives.',
    args: {
      ...one,
      input: t.arg({ type: SplitTripInput, required: true, description: 'Where to cut it.' }),
    },
    resolve: (_root, { input, ...args }, context) =>
      splitTrip(accountCall(context), { ...at(args), ...input }),
  }),
  closeTrip: t.field({
    ...shared,
    description: 'Ends a trip that is under way; the next drive begins another one.',
    args: one,
    resolve: (_root, args, context) => closeTrip(accountCall(context), at(args)),
  }),
  deleteTrip: t.field({
    ...shared,
    description: 'Ungroups a trip; its drives and charges stay.',
    args: one,
    resolve: (_root, args, context) => deleteTrip(accountCall(context), at(args)),
  }),
  undoEdit: t.field({
    ...shared,
    description: 'Takes an edit back: the rows are as they were before it.',
    args: one,
    resolve: (_root, args, context) => undoEdit(accountCall(context), at(args)),
  }),
}));
