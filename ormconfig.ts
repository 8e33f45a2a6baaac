import { DataSource } from 'typeorm';
import { allEntities } from './apps/relay/src/entities';
import { dataSourceOptions } from './apps/relay/src/database/data-source-options';

/** The data source of the TypeORM command line, for writing migrations: `DATABASE_URL=… npx typeorm -d dist/ormconfig.js …`. */
export default new DataSource(
  dataSourceOptions({ url: process.env['DATABASE_URL'] ?? '', poolSize: 1, entities: allEntities }),
);
