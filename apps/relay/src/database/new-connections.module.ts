import { Module } from '@nestjs/common';
import { NewConnections } from './new-connections';

/** Apart from the database's module, because the pool itself is made with it. */
@Module({ providers: [NewConnections], exports: [NewConnections] })
export class NewConnectionsModule {}
