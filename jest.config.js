const { availableParallelism } = require('node:os');

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/{apps,libs,test}/**/*.spec.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  moduleNameMapper: { '^@agentrelay/(.*)$': '<rootDir>/libs/$1/src' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2022',
          keepClassNames: true,
        },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  globalSetup: '<rootDir>/test/setup/global-setup.ts',
  globalTeardown: '<rootDir>/test/setup/global-teardown.ts',
  setupFiles: ['<rootDir>/test/setup/loopback-only.ts'],
  reporters: [
    'default',
    '<rootDir>/test/setup/plain-summary.reporter.js',
    '<rootDir>/test/setup/error-catalogue.reporter.js',
  ],
  randomize: true,
  // Many tests start programs, which keep the cores busy: no more workers than cores. One cluster serves them all.
  maxWorkers: Math.min(availableParallelism(), 5),
  // Behind two replicas each call crosses a balancer, in one process with both.
  testTimeout: process.env.TEST_REPLICAS === undefined ? 30_000 : 120_000,
  forceExit: false,
};
