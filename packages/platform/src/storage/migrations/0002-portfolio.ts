import type { Migration } from '../migrate.ts'

export const portfolio: Migration = {
  id: 2,
  name: 'portfolio',
  statements: [
    `create table trades (
      id bigint generated always as identity primary key,
      user_id bigint not null references users (id) on delete cascade,
      agent text not null,
      wallet_address text not null,
      chain_id bigint not null,
      venue text not null,
      token_in_address text not null,
      token_out_address text not null,
      token_in_symbol text not null,
      token_out_symbol text not null,
      amount_in numeric not null,
      amount_out numeric not null,
      amount_in_usd numeric not null,
      amount_out_usd numeric not null,
      price_in_usd numeric not null,
      price_out_usd numeric not null,
      fees_usd numeric not null,
      status text not null,
      simulated boolean not null,
      tx_hash text,
      realized_pnl_usd numeric not null,
      recorded_at timestamptz not null
    )`,
    `create unique index trades_transaction_unique on trades
      (user_id, chain_id, tx_hash, wallet_address, token_in_address, token_out_address, simulated)`,
    'create index trades_user_time_idx on trades (user_id, recorded_at)',
    `create table positions (
      id bigint generated always as identity primary key,
      user_id bigint not null references users (id) on delete cascade,
      agent text not null,
      wallet_address text not null,
      chain_id bigint not null,
      token_address text not null,
      token_symbol text not null,
      quantity numeric not null check (quantity >= 0),
      cost_usd numeric not null,
      realized_pnl_usd numeric not null,
      last_price_usd numeric not null,
      updated_at timestamptz not null
    )`,
    'create unique index positions_token_unique on positions (user_id, agent, wallet_address, chain_id, token_address)',
    `create table wallet_snapshots (
      id bigint generated always as identity primary key,
      user_id bigint not null references users (id) on delete cascade,
      agent text not null,
      wallet_address text not null,
      chain_id bigint not null,
      holdings jsonb not null,
      total_usd numeric not null,
      taken_at timestamptz not null
    )`,
    'create index wallet_snapshots_wallet_idx on wallet_snapshots (user_id, agent, wallet_address, chain_id, id)',
  ],
}
