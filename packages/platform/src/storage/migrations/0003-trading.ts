import type { Migration } from '../migrate.ts'

/** Records of trades outlive their user and session. */
export const trading: Migration = {
  id: 3,
  name: 'trading',
  statements: [
    `create table executions (
      seq bigint generated always as identity unique,
      id text primary key,
      user_id bigint not null,
      idempotency_key text not null,
      key_held boolean not null,
      wallet text not null,
      chain_id bigint not null,
      state text not null check (state in ('accepted', 'refused', 'signed', 'success', 'failed')),
      version integer not null check (version > 0),
      reserved_usd numeric check (reserved_usd >= 0 and reserved_usd < 'infinity'),
      signed_order bigint,
      created_at timestamptz not null,
      record json not null
    )`,
    'create sequence executions_signed_order owned by executions.signed_order',
    'create unique index executions_key_unique on executions (user_id, idempotency_key) where key_held',
    "create unique index executions_signed_unique on executions (wallet, chain_id) where state = 'signed'",
    'create index executions_last_signed_idx on executions (wallet, chain_id, signed_order) where signed_order is not null',
    "create index executions_unfinished_idx on executions (created_at, seq) where state in ('accepted', 'signed')",
    'create index executions_spent_idx on executions (wallet, created_at) where reserved_usd is not null',
    `create table quotes (
      id text primary key,
      session_id text not null,
      input_digest text not null,
      input json not null,
      quote json not null,
      expected_out_units text not null,
      expires_at timestamptz not null,
      consumed_by text
    )`,
    'create index quotes_expiry_idx on quotes (expires_at)',
    // the foreign key prevents gaps and forks
    `create table audit_entries (
      seq bigint primary key check (seq > 0),
      previous_seq bigint generated always as (nullif(seq - 1, 0)) stored,
      at timestamptz not null,
      execution_id text not null,
      user_id bigint not null,
      event text not null,
      data json not null,
      previous_hash text not null,
      hash text not null,
      constraint audit_entries_hash_unique unique (seq, hash),
      constraint audit_entries_follow foreign key (previous_seq, previous_hash) references audit_entries (seq, hash)
    )`,
    'create index audit_entries_execution_idx on audit_entries (execution_id, seq)',
    `create function refuse_audit_change() returns trigger language plpgsql as
      $$ begin raise exception 'the audit log is append only' using errcode = 'insufficient_privilege'; end $$`,
    `create trigger audit_entries_append_only before update or delete or truncate on audit_entries
      for each statement execute function refuse_audit_change()`,
  ],
}
