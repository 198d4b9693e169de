import { type IdType, idPrefixes, parseTypeId, typeIdOf } from '../base/ids.ts';

/** Types that `node` can find; each says by itself who may see what. */
export const nodeTypes = [
  'Account',
  'MakerAccount',
  'Vehicle',
  'Drive',
  'Charge',
  'Trip',
  'Place',
  'Tariff',
  'HistoryEdit',
  'StateSpan',
  'ParkedSpan',
  'SoftwareUpdate',
  'SoftwareInstallation',
  'Command',
  'Alert',
  'Webhook',
] as const satisfies readonly IdType[];

/** Whether `node` can find things of a type. */
export function isNodeType(typename: string): boolean {
  return nodeTypes.some((type) => type === typename);
}

function isIdType(name: string): name is IdType {
  return Object.hasOwn(idPrefixes, name);
}

/** The public id of a thing of a type. Throws for a type without ids. */
export function publicIdOf(typename: string, id: string | number | bigint): string {
  if (!isIdType(typename)) throw new Error(`${typename} has no ids.`);
  return typeIdOf(typename, String(id));
}

/** How the relay plugin reads and writes ids: plain TypeIDs (contract §0). */
export const nodeOptions = {
  encodeGlobalID: publicIdOf,
  decodeGlobalID: (id: string) => {
    const parsed = parseTypeId(id);
    return parsed === null ? { typename: '', id } : { typename: parsed.type, id: parsed.uuid };
  },
  idFieldOptions: { description: 'Id of the thing; it never changes.' },
  nodesQueryOptions: false,
} as const;
