// The folders of src from left to right. A file imports from its own folder and from those to its left; only the files
// directly in src and those of the process know everything (src/README.md).
const layers = [
  'base',
  'contract',
  'maker',
  'store',
  'auth',
  'ingest',
  'actions',
  'schema',
  'transports',
  'process',
];

const insideLayer = (names) => `^src/(${names.join('|')})/`;
const directlyInSrc = '^src/[^/]+\\.ts$';

const layerRules = layers.map((name, index) => ({
  name: `${name}-imports-only-to-its-left`,
  comment: `A file in ${name} may import ${['itself', ...layers.slice(0, index)].join(', ')}. Move what both need to the left, or pass it in as an argument from the right.`,
  severity: 'error',
  from: { path: insideLayer([name]) },
  to: {
    path: [
      ...layers.slice(index + 1).map((right) => `^src/${right}/`),
      name === 'process' ? '^src/main\\.ts$' : directlyInSrc,
    ],
  },
}));

module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: 'maker-and-store-are-strangers',
      comment:
        'What the maker says reaches the store as an Observation through ingest. Put the translation there.',
      severity: 'error',
      from: { path: insideLayer(['store']) },
      to: { path: insideLayer(['maker']) },
    },
    {
      name: 'no-transport-imports-store',
      comment:
        'A transport runs an operation through schema/execute.ts or calls an action; the rows behind it are not its matter.',
      severity: 'error',
      from: { path: insideLayer(['transports']) },
      to: { path: insideLayer(['store']) },
    },
    {
      name: 'no-transport-imports-another',
      comment:
        'Every transport can be left out. What two of them share belongs into base, auth, actions or schema; server.ts puts them together.',
      severity: 'error',
      from: { path: '^src/transports/([^/]+)/' },
      to: { path: '^src/transports/', pathNot: '^src/transports/$1/' },
    },
    {
      name: 'simulator-speaks-only-the-wire',
      comment:
        "The simulator stands where the maker stands: it may know base, contract and the maker's wire types, and nothing of how we read them.",
      severity: 'error',
      from: { path: '^src/simulator/' },
      to: { path: '^src/', pathNot: '^src/(simulator|base|contract)/|^src/maker/wire\\.ts$' },
    },
    {
      name: 'nothing-in-the-flow-imports-the-simulator',
      comment:
        'The service meets the simulator over HTTP, as it meets a maker. Only the process starts it.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: '^src/(simulator|process)/' },
      to: { path: '^src/simulator/' },
    },
    {
      name: 'console-is-a-client',
      comment:
        'The console runs in a browser and asks /graphql like everybody else. Write an operation in a .graphql file instead.',
      severity: 'error',
      from: { path: '^src/console/' },
      to: { path: '^src/', pathNot: '^src/console/' },
    },
    {
      name: 'nothing-imports-the-console',
      comment:
        'The server serves what the build of the console made; it never imports its sources.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/console/' },
      to: { path: '^src/console/' },
    },
    {
      name: 'no-cycles',
      comment:
        'Two files that need each other are one idea or three: merge them, or move the shared part into a third.',
      severity: 'error',
      from: { pathNot: '/generated/' },
      to: { circular: true, viaOnly: { pathNot: '/generated/' } },
    },
    {
      name: 'no-orphans',
      comment: 'Nothing reaches this file. Remove it, or import it where it was meant to be used.',
      severity: 'error',
      from: { orphan: true, pathNot: ['/generated/', '^src/main\\.ts$', '\\.d\\.ts$'] },
      to: {},
    },
    {
      name: 'no-test-in-src',
      comment: 'Tests and what only they need live in test/.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: ['^test/', '\\.test\\.tsx?$'] },
    },
    {
      name: 'only-what-is-installed-with-the-service',
      comment:
        'The server runs without devDependencies. Make the package a dependency with a reason, or do without it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/console/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'nothing-unresolved',
      comment: 'The import leads nowhere: correct its path or its ending.',
      severity: 'error',
      from: { path: '^src/' },
      to: { couldNotResolve: true, pathNot: '\\?worker$|^virtual:' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};
