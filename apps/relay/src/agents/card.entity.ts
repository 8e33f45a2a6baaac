import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** What an agent says of itself, so that teammates know what to hand to it. */
@Entity('cards')
export class CardEntity {
  @ForeignKey('AgentEntity', { name: 'cards_agent_id_fkey' })
  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: 'cards_pkey' })
  agentId!: string;

  @Column('text', { default: '' })
  description!: string;

  @Column('text', { array: true, default: () => "'{}'" })
  skills!: string[];

  @Column('text', { name: 'repos_owned', array: true, default: () => "'{}'" })
  reposOwned!: string[];

  @Column('timestamp with time zone', { name: 'updated_at', precision: 3, default: () => 'now()' })
  updatedAt!: Date;
}
