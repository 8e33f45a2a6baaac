const config = require('./jest.config.js');

/** The long runs: `npm run fuzz` and `npm run soak`, one after the other, each test told as it ends. */
/** @type {import('jest').Config} */
module.exports = {
  ...config,
  reporters: ['default', '<rootDir>/test/setup/plain-summary.reporter.js'],
  testMatch: [
    '<rootDir>/test/**/*.soak.ts',
    '<rootDir>/test/model/*.spec.ts',
    '<rootDir>/test/races/key-histories.race.spec.ts',
  ],
  maxWorkers: 1,
  testTimeout: 3_600_000,
  verbose: true,
};
