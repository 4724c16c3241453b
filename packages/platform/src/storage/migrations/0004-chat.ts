import type { Migration } from '../migrate.ts'

export const chat: Migration = {
  id: 4,
  name: 'chat',
  statements: [
    `create table chats (
      session_id uuid primary key references sessions (id) on delete cascade,
      last_ordinal bigint not null,
      turn bigint,
      turn_until timestamptz
    )`,
    `create table messages (
      session_id uuid not null references chats (session_id) on delete cascade,
      ordinal bigint not null,
      role text not null,
      content text not null,
      failure text,
      created_at timestamptz not null,
      primary key (session_id, ordinal)
    )`,
  ],
}
