const { existsSync, readFileSync } = require('node:fs');

/** Fails a whole run in which no relay answered with one of the symbols of the error catalogue. */
module.exports = class ErrorCatalogueReporter {
  constructor({ testPathPatterns, testNamePattern }) {
    this.isWhole = testPathPatterns.patterns.length === 0 && !testNamePattern;
  }

  onRunComplete() {
    const file = process.env.AGENTRELAY_TEST_SYMBOLS;
    if (!this.isWhole || !file) return;
    const produced = new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []);
    const missing = process.env.AGENTRELAY_ERROR_SYMBOLS.split(' ').filter((symbol) => !produced.has(symbol));
    if (missing.length === 0) return;
    this.error = new Error(`No test made a relay answer with ${missing.join(', ')}.`);
    process.stderr.write(`${this.error.message}\n`);
  }

  /** Makes the run fail. */
  getLastError() {
    return this.error;
  }
};
