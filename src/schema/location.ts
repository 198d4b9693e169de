import type { LocationPrecision as Precision } from '../auth/principal.ts';
import { type AddressKey, addressKey } from '../store/addresses.ts';
import { Address, tellAddress } from './address.ts';
import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import type { Context } from './context.ts';
import { LocationPrecision } from './enums.ts';
import { placeById } from './loaders.ts';
import { Place } from './place.ts';
import { degree, precisionFor } from './precision.ts';

/** Where a vehicle was, as it is stored. */
export type Position = {
  vehicleId: string;
  latitude: number | null;
  longitude: number | null;
  headingDeg?: number | null;
  elevationM?: number | null;
  placeId: string | null;
  observedAt: Date | number | null;
};

type Told = Omit<Position, 'vehicleId'> & { precision: Precision; addressKey: AddressKey };

/** A position as the caller may learn it; null where the service does not know it. */
export async function tell(context: Context, position: Position): Promise<Told | null> {
  if (position.latitude === null || position.longitude === null) return null;
  const precision = await precisionFor(context, position.vehicleId);
  const exact = precision === 'EXACT';
  return {
    latitude: degree(position.latitude, precision),
    longitude: degree(position.longitude, precision),
    headingDeg: exact ? (position.headingDeg ?? null) : null,
    elevationM: exact ? (position.elevationM ?? null) : null,
    placeId: exact ? position.placeId : null,
    observedAt: position.observedAt,
    precision,
    addressKey: addressKey(position.vehicleId, position.latitude, position.longitude),
  };
}

/** A position on the earth. */
export const Location = builder.objectRef<Told>('Location').implement({
  description: 'A position on the earth, as exact as the caller may see it.',
  authScopes: vehicles,
  fields: (t) => ({
    latitude: t.exposeFloat('latitude', {
      nullable: true,
      description: 'Latitude, WGS 84; null when it is hidden [°].',
    }),
    longitude: t.exposeFloat('longitude', {
      nullable: true,
      description: 'Longitude, WGS 84; null when it is hidden [°].',
    }),
    headingDeg: t.exposeFloat('headingDeg', {
      nullable: true,
      description:
        'Direction the vehicle pointed to, clockwise from north; null where the position is not told exactly [°].',
    }),
    elevationM: t.exposeFloat('elevationM', {
      nullable: true,
      description:
        'Height above sea level; null where the maker does not give it, or the position is not told exactly [m].',
    }),
    place: t.field({
      type: Place,
      nullable: true,
      description: 'The named place it lies in; null where the position is not told exactly.',
      resolve: (told, _args, context) =>
        told.placeId === null ? null : placeById(context).load(told.placeId),
    }),
    address: t.field({
      type: Address,
      nullable: true,
      description: 'Where that is in words; null where nobody looked it up, or it is hidden.',
      resolve: (told, _args, context) => tellAddress(context, told.addressKey, told.precision),
    }),
    precision: t.expose('precision', {
      type: LocationPrecision,
      description:
        'How exactly it is told: the vehicle’s setting or the credential’s, the coarser one.',
    }),
    observedAt: t.expose('observedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the vehicle was there.',
    }),
  }),
});
