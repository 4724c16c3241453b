/** Without the L1 information, which begins each block (specs: protocol/deposits.md), and the post-execution payload (type 0x7d). */
export const SENT_BY_PEOPLE = 'position > 0 and type <> 125'

/** Never change a released migration: add another. Bytes are stored as bytea, amounts as numeric, times as Unix seconds. */
export const MIGRATIONS: readonly (readonly string[])[] = [
  [
    'create table chain (id integer primary key check (id = 1), chain_id numeric not null, genesis_hash bytea not null)',
    'create table cursor (id integer primary key check (id = 1), number bigint not null, hash bytea not null)',
    `create table blocks (
      number bigint primary key, hash bytea not null, parent_hash bytea not null, time bigint not null, fee_recipient bytea not null,
      gas_used numeric not null, gas_limit numeric not null, base_fee numeric, size bigint not null, transactions integer not null,
      l2_fees numeric not null, l1_fees numeric not null
    )`,
    'create unique index blocks_hash on blocks (hash)',
    `create table transactions (
      block bigint not null, position integer not null, hash bytea not null, type smallint not null, sender bytea not null, recipient bytea,
      created bytea, nonce numeric not null, value numeric not null, gas_limit numeric not null, gas_used numeric not null,
      gas_price numeric not null, max_fee numeric, max_priority_fee numeric, succeeded boolean not null, input bytea not null,
      input_size integer not null, l1_fee numeric, l1_gas_used numeric, l1_gas_price numeric, l1_base_fee_scalar numeric,
      l1_blob_base_fee numeric, l1_blob_base_fee_scalar numeric, operator_fee_scalar numeric, operator_fee_constant numeric,
      da_footprint_gas_scalar numeric, da_footprint numeric, source_hash bytea, mint numeric, is_system boolean,
      deposit_nonce numeric, deposit_version numeric,
      primary key (block, position)
    )`,
    'create unique index transactions_hash on transactions (hash)',
    'create index transactions_created on transactions (created, block) where created is not null',
    `create table logs (
      block bigint not null, position integer not null, tx_position integer not null, address bytea not null, topic0 bytea, topic1 bytea,
      topic2 bytea, topic3 bytea, data bytea not null, data_size integer not null,
      primary key (block, position)
    )`,
    `create table token_transfers (
      block bigint not null, log_position integer not null, item integer not null, tx_position integer not null, token bytea not null,
      kind smallint not null, sender bytea not null, recipient bytea not null, token_id numeric, amount numeric not null,
      primary key (block, log_position, item)
    )`,
    'create index token_transfers_token on token_transfers (token, block, log_position, item)',
    'create index token_transfers_sender on token_transfers (sender, block, log_position, item)',
    'create index token_transfers_recipient on token_transfers (recipient, block, log_position, item)',
    `create table tokens (
      address bytea primary key, kind smallint not null, first_block bigint not null, name text, symbol text, decimals smallint,
      described boolean not null default false
    )`,
    'create index tokens_first_block on tokens (first_block)',
    'create index tokens_undescribed on tokens (address) where not described',
    'create index tokens_name on tokens (lower(name) text_pattern_ops) where name is not null',
    'create index tokens_symbol on tokens (lower(symbol) text_pattern_ops) where symbol is not null',
    'create table token_balances (token bytea not null, holder bytea not null, balance numeric not null, primary key (token, holder))',
    'create index token_balances_ranked on token_balances (token, balance desc, holder)',
    'create index token_balances_holder on token_balances (holder, token)',
    `create table address_transactions (
      address bytea not null, block bigint not null, position integer not null, roles smallint not null,
      primary key (address, block, position)
    )`,
    'create index address_transactions_block on address_transactions (block)',
    `create table hours (
      hour bigint primary key, blocks bigint not null, transactions bigint not null, gas_used numeric not null, l2_fees numeric not null,
      l1_fees numeric not null
    )`,
  ],
  [
    'create table l1_cursor (id integer primary key check (id = 1), number bigint not null, hash bytea not null)',
    'create table l1_blocks (number bigint primary key, hash bytea not null, time bigint not null)',
    `create table l1_batches (
      l1_block bigint not null, position integer not null, hash bytea not null, sender bytea not null, blobs integer not null,
      bytes bigint not null, readable boolean not null, primary key (l1_block, position)
    )`,
    'create index l1_batches_hash on l1_batches (hash)',
    // data is null after the longest time a channel may stay open
    `create table l1_frames (
      l1_block bigint not null, tx_position integer not null, item integer not null, channel bytea not null, number integer not null,
      is_last boolean not null, data bytea, primary key (l1_block, tx_position, item)
    )`,
    'create index l1_frames_channel on l1_frames (channel, l1_block)',
    'create index l1_frames_kept on l1_frames (l1_block) where data is not null',
    `create table l1_channels (
      channel bytea not null, l1_block bigint not null, first_block bigint, last_block bigint, batches integer not null, problem text,
      primary key (l1_block, channel)
    )`,
    'create index l1_channels_channel on l1_channels (channel)',
    'create index l1_channels_blocks on l1_channels (last_block, first_block)',
    `create table l1_deposits (
      l1_block bigint not null, log_position integer not null, l1_transaction bytea not null, l2_transaction bytea not null,
      initiator bytea not null, sender bytea not null, recipient bytea, mint numeric not null, value numeric not null,
      primary key (l1_block, log_position)
    )`,
    ...['initiator', 'sender', 'recipient'].map(
      (party) => `create index l1_deposits_${party} on l1_deposits (${party}, l1_block, log_position)`,
    ),
    `create table withdrawals (
      block bigint not null, log_position integer not null, tx_position integer not null, initiator bytea not null, sender bytea not null,
      target bytea not null, value numeric not null, hash bytea not null, primary key (block, log_position)
    )`,
    ...['initiator', 'sender', 'target'].map((party) => `create index withdrawals_${party} on withdrawals (${party}, block, log_position)`),
    // the chain is indexed again, with its withdrawals
    `truncate cursor, blocks, transactions, logs, token_transfers, tokens, token_balances, address_transactions, hours`,
  ],
  [
    // content is JSON; code is the same on every branch of the chain
    'create table verified_contracts (code_hash bytea primary key, match text not null, content text not null, bytes bigint not null)',
  ],
  [
    'alter table chain add column genesis_read boolean not null default false',
    // contracts that may be tokens; they are asked
    'create table token_candidates (address bytea primary key, first_block bigint not null, refused boolean not null default false)',
    'create index token_candidates_open on token_candidates (address) where not refused',
    // the contract's answer when is_read, otherwise the sum of transfers; unread: to be asked (again)
    `create table token_holders (
      token bytea not null, holder bytea not null, balance numeric not null, is_read boolean not null default false,
      unread boolean not null default true, marks bigint not null default 0, primary key (token, holder)
    )`,
    'insert into token_holders (token, holder, balance) select token, holder, greatest(balance, 0) from token_balances',
    'create index token_holders_ranked on token_holders (token, balance desc, holder)',
    'create index token_holders_holder on token_holders (holder, token)',
    'create index token_holders_unread on token_holders (token, holder) where unread',
    'drop index token_balances_ranked',
    'drop index token_balances_holder',
  ],
  [
    // what replaces what, and what a full store drops first
    'alter table verified_contracts add column rank smallint not null default 0',
    "update verified_contracts set rank = 2 where match = 'exact'",
    'create index verified_contracts_rank on verified_contracts (rank, bytes desc)',
  ],
  // what people sent, without reading over the transactions of the protocol in an idle chain
  [`create index transactions_sent on transactions (block, position) where ${SENT_BY_PEOPLE}`],
  [
    // null for a deposit that is no message of the L1 messenger, and for those that an earlier release indexed
    ...['transfer_sender', 'transfer_recipient', 'message_hash'].map((column) => `alter table l1_deposits add column ${column} bytea`),
    ...['transfer_sender', 'transfer_recipient'].map(
      (party) => `create index l1_deposits_${party} on l1_deposits (${party}, l1_block, log_position) where ${party} is not null`,
    ),
  ],
]
