import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** A human, who has one or more agents. E-mail addresses are unique whatever their case (`owners_email_key`). */
@Entity('owners')
@Check('owners_email_not_empty', `email <> ''`)
@Check('owners_display_name_not_empty', `display_name <> ''`)
export class OwnerEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'owners_pkey' })
  id!: string;

  @Column('text', { nullable: true })
  email!: string | null;

  @Column('text', { name: 'display_name' })
  displayName!: string;

  @Column('timestamp with time zone', { name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
