import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** What the relay knows of the database it stands on; one row. */
@Entity('relay_state')
@Check('relay_state_one_row', 'singleton')
export class RelayStateEntity {
  @PrimaryColumn('boolean', { primaryKeyConstraintName: 'relay_state_pkey', default: true })
  singleton!: true;

  /** How often the log was restored or moved. */
  @Column('integer', { default: 1 })
  epoch!: number;

  /** Names the epoch in cursors: a new UUID whenever the number is raised. Cursors of another epoch are void. */
  @Column('text', { name: 'epoch_id' })
  epochId!: string;

  /** PostgreSQL cluster and timeline that the transaction ids in the log belong to. */
  @Column('text', { name: 'system_identifier', nullable: true })
  systemIdentifier!: string | null;

  /** Everything up to this transaction has been removed by retention; 0: nothing has. */
  @Column('bigint', { name: 'removed_through', default: 0 })
  removedThrough!: string;
}
