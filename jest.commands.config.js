const config = require('./jest.config.js');

/** Tests that are commands of their own, because they need more than Node: `npm run test:package`,
 * `npm run test:restore`, `npm run test:upgrade`. */
/** @type {import('jest').Config} */
module.exports = {
  ...config,
  reporters: ['default', '<rootDir>/test/setup/plain-summary.reporter.js'],
  testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'],
  maxWorkers: 1,
  testTimeout: 300_000,
};
