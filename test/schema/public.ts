/** Types that need no scope: both catalogues, where a page is in its list, and what a callback's state has made. */
export const publicTypes = [
  'CatalogueCommand',
  'CommandParameter',
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
  'Query.commandCatalogue',
  'Mutation.makerCallback',
  'Query.latestSoftwareUpdate',
  'Query.node',
  'Query.softwareUpdate',
  'Query.softwareUpdates',
  'Subscription.softwareDetected',
];
