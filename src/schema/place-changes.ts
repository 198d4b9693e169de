import { importPlaces, type PlaceImport } from '../actions/import-places.ts';
import {
  createPlace,
  deletePlace,
  type RemovedPlace,
  updatePlace,
} from '../actions/manage-places.ts';
import { placeLimits } from '../contract/places.ts';
import type { Place as PlaceRow } from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import type { Guard } from './connection.ts';
import { accountCall } from './context.ts';
import { DrivePurpose, PlaceKind } from './enums.ts';
import { Place } from './place.ts';

const account = { account: true } as const satisfies Guard;

const { radiusM, corners } = placeLimits;

const CornerInput = builder.inputType('CornerInput', {
  description: 'A corner of a polygon.',
  fields: (t) => ({
    latitude: t.float({ required: true, description: 'Latitude, WGS 84 [°].' }),
    longitude: t.float({ required: true, description: 'Longitude, WGS 84 [°].' }),
  }),
});

const PlaceInput = builder.inputType('PlaceInput', {
  description:
    'A place: a circle, or a polygon. Of a new one the name and the shape are needed; what a change leaves out stays.',
  fields: (t) => ({
    name: t.string({ description: 'Name of the place.' }),
    kind: t.field({ type: PlaceKind, description: 'What it is to you; `OTHER` unless given.' }),
    latitude: t.float({ description: 'Latitude of the centre of a circle, WGS 84 [°].' }),
    longitude: t.float({ description: 'Longitude of the centre of a circle, WGS 84 [°].' }),
    radiusM: t.float({
      description: `Radius of a circle, ${radiusM.min} to ${radiusM.max} [m].`,
    }),
    polygon: t.field({
      type: [CornerInput],
      description: `Corners of a polygon, ${corners.min} to ${corners.max}, whose edges do not cross.`,
    }),
    autoTags: t.stringList({ description: 'Words put on every drive that ends there.' }),
    purposeDefault: t.field({
      type: DrivePurpose,
      description: 'Purpose given to drives that end there.',
    }),
    notifyEnter: t.boolean({ description: 'Whether entering is an event.' }),
    notifyExit: t.boolean({ description: 'Whether leaving is an event.' }),
    hideOnShare: t.boolean({ description: 'Whether it is left out of what is shared.' }),
    tariffId: t.id({ description: 'Id of the tariff that charges there cost by.' }),
  }),
});

const PlaceFileFormat = builder.enumType('PlaceFileFormat', {
  description: 'Form of a file with places.',
  values: {
    GEOJSON: { description: 'GeoJSON (RFC 7946): points with `radius_m`, and polygons.' },
    CSV: { description: 'CSV (RFC 4180) whose first line names the columns.' },
  },
});

const ImportPlacesInput = builder.inputType('ImportPlacesInput', {
  description: 'A file with places.',
  fields: (t) => ({
    format: t.field({ type: PlaceFileFormat, required: true, description: 'Its form.' }),
    data: t.string({ required: true, description: 'Its text.' }),
  }),
});

const PlacePayload = builder.objectRef<{ place: PlaceRow }>('PlacePayload').implement({
  description: 'The place after the change.',
  authScopes: account,
  fields: (t) => ({
    place: t.field({ type: Place, description: 'The place.', resolve: ({ place }) => place }),
  }),
});

const DeletePlacePayload = builder.objectRef<RemovedPlace>('DeletePlacePayload').implement({
  description: 'What was removed.',
  authScopes: account,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the place.' }),
    name: t.exposeString('name', { description: 'Name it had.' }),
  }),
});

const ImportPlacesPayload = builder.objectRef<PlaceImport>('ImportPlacesPayload').implement({
  description: 'What came of an import.',
  authScopes: account,
  fields: (t) => ({
    places: t.field({
      type: [Place],
      description: 'The places that were made.',
      resolve: ({ places }) => places,
    }),
    unchanged: t.exposeInt('unchanged', {
      description: 'How many were there already, with their name and shape.',
    }),
  }),
});

const idArg = { description: 'Id of the place.', required: true } as const;

builder.mutationFields((t) => ({
  createPlace: t.field({
    type: PlacePayload,
    description: 'Names a place. What happened there before follows in the background.',
    authScopes: account,
    args: { input: t.arg({ type: PlaceInput, required: true, description: 'The place.' }) },
    resolve: async (_root, { input }, context) => ({
      place: await createPlace(accountCall(context), input),
    }),
  }),
  updatePlace: t.field({
    type: PlacePayload,
    description: 'Changes a place. What happened there before follows in the background.',
    authScopes: account,
    args: {
      id: t.arg.id(idArg),
      input: t.arg({ type: PlaceInput, required: true, description: 'What to change.' }),
    },
    resolve: async (_root, { id, input }, context) => ({
      place: await updatePlace(accountCall(context), id, input),
    }),
  }),
  deletePlace: t.field({
    type: DeletePlacePayload,
    description: 'Removes a place; what happened there stays.',
    authScopes: account,
    args: { id: t.arg.id(idArg) },
    resolve: (_root, { id }, context) => deletePlace(accountCall(context), id),
  }),
  importPlaces: t.field({
    type: ImportPlacesPayload,
    description: 'Makes the places of a file, all or none of them.',
    authScopes: account,
    args: {
      input: t.arg({ type: ImportPlacesInput, required: true, description: 'The file.' }),
    },
    resolve: (_root, { input }, context) => importPlaces(accountCall(context), input),
  }),
}));
