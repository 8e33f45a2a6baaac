import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** What the relay knows of the database it stands on; one row. */
@Entity('relay_state')
@Check('relay_state_one_row', 'singleton')
export class RelayStateEntity {
  @PrimaryColumn('boolean', { primaryKeyConstraintName: 'relay_state_pkey', default: true })
  singleton!: true;

  /** Raised when the log was restored or moved: cursors of another epoch are void. */
  @Column('integer', { default: 1 })
  epoch!: number;

  /** Identity of the PostgreSQL cluster that the transaction ids in the log belong to. */
  @Column('text', { name: 'system_identifier', nullable: true })
  systemIdentifier!: string | null;

  /** Everything up to this transaction has been removed by retention. */
  @Column('bigint', { name: 'removed_through', default: 0 })
  removedThrough!: string;
}
