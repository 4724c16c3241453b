import type { Migration } from '../migrate.ts'

export const storedBytes: Migration = {
  id: 5,
  name: 'stored-bytes',
  statements: [
    'alter table users add column stored_bytes bigint not null default 0',
    'create index quotes_session_idx on quotes (session_id)',
  ],
}
