const MODULES = 'apps/relay/src';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'protocol-imports-nothing',
      severity: 'error',
      from: { path: '^libs/protocol/src', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^libs/protocol/src' },
    },
    {
      name: 'workstation-programs-know-no-relay',
      comment: 'The MCP server and the command line speak to the relay over its public HTTP surface.',
      severity: 'error',
      from: { path: '^apps/(mcp-server|cli)/|^libs/(relay-client|workstation)/' },
      to: { path: '^apps/relay/|node_modules/(typeorm|pg|@nestjs/typeorm)/' },
    },
    {
      name: 'through-the-index',
      comment: 'A module of the relay is used through its index.',
      severity: 'error',
      from: { path: `^${MODULES}/([^/]+)/` },
      to: { path: `^${MODULES}/([^/]+)/.+`, pathNot: [`^${MODULES}/$1/`, `^${MODULES}/[^/]+/index\\.ts$`] },
    },
    {
      name: 'libs-through-the-index',
      severity: 'error',
      from: { path: '^(apps|scripts)/' },
      to: { path: '^libs/[^/]+/src/.+', pathNot: '^libs/[^/]+/src/index\\.ts$' },
    },
    {
      name: 'no-module-knows-an-api',
      comment: 'But the metrics, which watch the APIs from outside.',
      severity: 'error',
      from: { path: `^${MODULES}/(?!rpc/|a2a/|metrics/)[^/]+/` },
      to: { path: `^${MODULES}/(rpc|a2a)/` },
    },
    {
      name: 'product-knows-no-tests',
      severity: 'error',
      from: { path: '^(apps|libs/(?!testing))', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(test|libs/testing)/' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    includeOnly: '^(apps|libs|scripts|test|node_modules)/',
    doNotFollow: { path: '^node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['require', 'node', 'default', 'types'] },
  },
};
