/** Types that need no scope: the catalogues of commands and of software, and where a page is in its list. */
export const publicTypes = [
  'CatalogueCommand',
  'CommandParameter',
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
  'Query.latestSoftwareUpdate',
  'Query.node',
  'Query.softwareUpdate',
  'Query.softwareUpdates',
  'Subscription.softwareDetected',
];
