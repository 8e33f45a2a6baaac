import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MessageEntity } from './message.entity';
import { MessagesRepository } from './messages.repository';
import { ReadPositionEntity } from './read-position.entity';

/** The append-only thread and how far each side has read it. */
@Module({
  imports: [TypeOrmModule.forFeature([MessageEntity, ReadPositionEntity])],
  providers: [MessagesRepository],
  exports: [MessagesRepository],
})
export class MessagesModule {}
