import { getMetadataArgsStorage } from 'typeorm';
import './relay.module';

/** Every entity of the relay, for tools that look at the schema without running it. */
export const allEntities = getMetadataArgsStorage().tables.map(({ target }) => target);
