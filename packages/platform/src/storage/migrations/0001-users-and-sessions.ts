import type { Migration } from '../migrate.ts'

export const usersAndSessions: Migration = {
  id: 1,
  name: 'users and sessions',
  statements: [
    `create table users (
      id bigint generated always as identity primary key,
      email text not null constraint users_email_unique unique,
      password_hash text not null,
      created_at timestamptz not null
    )`,
    `create table sessions (
      id uuid primary key,
      user_id bigint not null references users (id) on delete cascade,
      name text not null,
      created_at timestamptz not null
    )`,
    'create index sessions_user_idx on sessions (user_id, created_at)',
  ],
}
