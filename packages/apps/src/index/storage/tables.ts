import type { Table } from './insert-rows.ts'

export const BLOCKS: Table = {
  name: 'blocks',
  columns: {
    number: 'bigint',
    hash: 'bytea',
    parent_hash: 'bytea',
    time: 'bigint',
    fee_recipient: 'bytea',
    gas_used: 'numeric',
    gas_limit: 'numeric',
    base_fee: 'numeric',
    size: 'bigint',
    transactions: 'integer',
    l2_fees: 'numeric',
    l1_fees: 'numeric',
  },
}

export const TRANSACTIONS: Table = {
  name: 'transactions',
  columns: {
    block: 'bigint',
    position: 'integer',
    hash: 'bytea',
    type: 'smallint',
    sender: 'bytea',
    recipient: 'bytea',
    created: 'bytea',
    nonce: 'numeric',
    value: 'numeric',
    gas_limit: 'numeric',
    gas_used: 'numeric',
    gas_price: 'numeric',
    max_fee: 'numeric',
    max_priority_fee: 'numeric',
    succeeded: 'boolean',
    input: 'bytea',
    input_size: 'integer',
    l1_fee: 'numeric',
    l1_gas_used: 'numeric',
    l1_gas_price: 'numeric',
    l1_base_fee_scalar: 'numeric',
    l1_blob_base_fee: 'numeric',
    l1_blob_base_fee_scalar: 'numeric',
    operator_fee_scalar: 'numeric',
    operator_fee_constant: 'numeric',
    da_footprint_gas_scalar: 'numeric',
    da_footprint: 'numeric',
    source_hash: 'bytea',
    mint: 'numeric',
    is_system: 'boolean',
    deposit_nonce: 'numeric',
    deposit_version: 'numeric',
  },
}

export const LOGS: Table = {
  name: 'logs',
  columns: {
    block: 'bigint',
    position: 'integer',
    tx_position: 'integer',
    address: 'bytea',
    topic0: 'bytea',
    topic1: 'bytea',
    topic2: 'bytea',
    topic3: 'bytea',
    data: 'bytea',
    data_size: 'integer',
  },
}

export const TOKEN_TRANSFERS: Table = {
  name: 'token_transfers',
  columns: {
    block: 'bigint',
    log_position: 'integer',
    item: 'integer',
    tx_position: 'integer',
    token: 'bytea',
    kind: 'smallint',
    sender: 'bytea',
    recipient: 'bytea',
    token_id: 'numeric',
    amount: 'numeric',
  },
}

export const ADDRESS_TRANSACTIONS: Table = {
  name: 'address_transactions',
  columns: { address: 'bytea', block: 'bigint', position: 'integer', roles: 'smallint' },
}

export const WITHDRAWALS: Table = {
  name: 'withdrawals',
  columns: {
    block: 'bigint',
    log_position: 'integer',
    tx_position: 'integer',
    initiator: 'bytea',
    sender: 'bytea',
    target: 'bytea',
    value: 'numeric',
    hash: 'bytea',
  },
}

export const L1_BLOCKS: Table = { name: 'l1_blocks', columns: { number: 'bigint', hash: 'bytea', time: 'bigint' } }

export const L1_BATCHES: Table = {
  name: 'l1_batches',
  columns: {
    l1_block: 'bigint',
    position: 'integer',
    hash: 'bytea',
    sender: 'bytea',
    blobs: 'integer',
    bytes: 'bigint',
    readable: 'boolean',
  },
}

export const L1_FRAMES: Table = {
  name: 'l1_frames',
  columns: {
    l1_block: 'bigint',
    tx_position: 'integer',
    item: 'integer',
    channel: 'bytea',
    number: 'integer',
    is_last: 'boolean',
    data: 'bytea',
  },
}

export const L1_CHANNELS: Table = {
  name: 'l1_channels',
  columns: { channel: 'bytea', l1_block: 'bigint', first_block: 'bigint', last_block: 'bigint', batches: 'integer', problem: 'text' },
}

export const L1_DEPOSITS: Table = {
  name: 'l1_deposits',
  columns: {
    l1_block: 'bigint',
    log_position: 'integer',
    l1_transaction: 'bytea',
    l2_transaction: 'bytea',
    initiator: 'bytea',
    sender: 'bytea',
    recipient: 'bytea',
    mint: 'numeric',
    value: 'numeric',
    transfer_sender: 'bytea',
    transfer_recipient: 'bytea',
    message_hash: 'bytea',
  },
}

export const TOKENS: Table = {
  name: 'tokens',
  columns: { address: 'bytea', kind: 'smallint', first_block: 'bigint' },
  onConflict: 'on conflict do nothing',
}

const ADD_BALANCE = 'on conflict (token, holder) do update set balance = token_balances.balance + excluded.balance'

export const TOKEN_BALANCES: Table = {
  name: 'token_balances',
  columns: { token: 'bytea', holder: 'bytea', balance: 'numeric' },
  onConflict: ADD_BALANCE,
}

export const TOKEN_CANDIDATES: Table = {
  name: 'token_candidates',
  columns: { address: 'bytea', first_block: 'bigint' },
  onConflict: 'on conflict (address) do update set first_block = least(token_candidates.first_block, excluded.first_block)',
}

export const TOKEN_HOLDERS: Table = {
  name: 'token_holders',
  columns: { token: 'bytea', holder: 'bytea', balance: 'numeric' },
  onConflict: 'on conflict do nothing',
}

export const HOURS: Table = {
  name: 'hours',
  columns: {
    hour: 'bigint',
    blocks: 'bigint',
    transactions: 'bigint',
    gas_used: 'numeric',
    l2_fees: 'numeric',
    l1_fees: 'numeric',
  },
  onConflict: `on conflict (hour) do update set blocks = hours.blocks + excluded.blocks,
    transactions = hours.transactions + excluded.transactions, gas_used = hours.gas_used + excluded.gas_used,
    l2_fees = hours.l2_fees + excluded.l2_fees, l1_fees = hours.l1_fees + excluded.l1_fees`,
}
