module.exports = require('../../../dist/apps/relay/src/extension');
