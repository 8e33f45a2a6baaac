export * from '../../../dist/apps/relay/src/extension';
