/** Types that need no scope: the software catalogue, where a page is in its list, and what a callback's state has made. */
export const publicTypes = [
  'MakerCallbackPayload',
  'PageInfo',
  'SoftwareCounts',
  'SoftwareGroup',
  'SoftwarePending',
  'SoftwareUpdate',
  'SoftwareUpdateConnection',
  'SoftwareUpdateEdge',
];

/** Root fields that need no scope; what `node` finds says by itself who may see it. */
export const publicFields = [
  'Mutation.makerCallback',
  'Query.latestSoftwareUpdate',
  'Query.node',
  'Query.softwareUpdate',
  'Query.softwareUpdates',
];
