/** Rows as JSON: amounts are decimal text, times RFC 3339 in UTC. */
import { bytesToHex } from '@keelson/primitives'
import { ROLES } from '../storage/block-rows.ts'

export type Bytes = Uint8Array

export const hex = (bytes: Bytes) => bytesToHex(bytes)
export const hexOrNull = (bytes: Bytes | null) => (bytes === null ? null : bytesToHex(bytes))
export const timeText = (seconds: number) => new Date(seconds * 1000).toISOString()

export interface BlockRow {
  readonly number: number
  readonly hash: Bytes
  readonly parent_hash: Bytes
  readonly time: number
  readonly fee_recipient: Bytes
  readonly gas_used: string
  readonly gas_limit: string
  readonly base_fee: string | null
  readonly size: number
  readonly transactions: number
  readonly l2_fees: string
  readonly l1_fees: string
}

export function blockView(row: BlockRow) {
  return {
    number: row.number,
    hash: hex(row.hash),
    parentHash: hex(row.parent_hash),
    time: timeText(row.time),
    feeRecipient: hex(row.fee_recipient),
    gasUsed: row.gas_used,
    gasLimit: row.gas_limit,
    baseFeePerGas: row.base_fee,
    sizeBytes: row.size,
    transactions: row.transactions,
    l2Fees: row.l2_fees,
    l1Fees: row.l1_fees,
  }
}

export interface TransactionRow {
  readonly block: number
  readonly position: number
  readonly time: number
  readonly hash: Bytes
  readonly type: number
  readonly sender: Bytes
  readonly recipient: Bytes | null
  readonly created: Bytes | null
  readonly value: string
  readonly gas_used: string
  readonly gas_price: string
  readonly succeeded: boolean
  readonly input: Bytes
  readonly input_size: number
  readonly l1_fee: string | null
  readonly roles?: number
}

export const TRANSACTION_COLUMNS = `t.block, t.position, b.time, t.hash, t.type, t.sender, t.recipient, t.created, t.value, t.gas_used,
  t.gas_price, t.succeeded, substr(t.input, 1, 4) as input, t.input_size, t.l1_fee`

export function transactionView(row: TransactionRow) {
  return {
    hash: hex(row.hash),
    block: row.block,
    position: row.position,
    time: timeText(row.time),
    type: row.type,
    from: hex(row.sender),
    to: hexOrNull(row.recipient),
    created: hexOrNull(row.created),
    value: row.value,
    method: row.input_size >= 4 ? hex(row.input.subarray(0, 4)) : null,
    succeeded: row.succeeded,
    gasUsed: row.gas_used,
    gasPrice: row.gas_price,
    l1Fee: row.l1_fee,
    ...(row.roles === undefined ? {} : { roles: rolesOf(row.roles) }),
  }
}

function rolesOf(bits: number): readonly string[] {
  return Object.entries(ROLES).flatMap(([name, bit]) => ((bits & bit) === 0 ? [] : [name]))
}

export interface FullTransactionRow extends TransactionRow {
  readonly block_hash: Bytes
  readonly nonce: string
  readonly gas_limit: string
  readonly max_fee: string | null
  readonly max_priority_fee: string | null
  readonly l1_gas_used: string | null
  readonly l1_gas_price: string | null
  readonly l1_base_fee_scalar: string | null
  readonly l1_blob_base_fee: string | null
  readonly l1_blob_base_fee_scalar: string | null
  readonly operator_fee_scalar: string | null
  readonly operator_fee_constant: string | null
  readonly da_footprint_gas_scalar: string | null
  readonly da_footprint: string | null
  readonly source_hash: Bytes | null
  readonly mint: string | null
  readonly is_system: boolean | null
  readonly deposit_nonce: string | null
  readonly deposit_version: string | null
}

export function fullTransactionView(row: FullTransactionRow) {
  return {
    ...transactionView(row),
    blockHash: hex(row.block_hash),
    nonce: row.nonce,
    gasLimit: row.gas_limit,
    maxFeePerGas: row.max_fee,
    maxPriorityFeePerGas: row.max_priority_fee,
    input: hex(row.input),
    /** Length of the whole input; `input` may hold only its beginning. */
    inputBytes: row.input_size,
    l1FeeParts: {
      gasUsed: row.l1_gas_used,
      gasPrice: row.l1_gas_price,
      baseFeeScalar: row.l1_base_fee_scalar,
      blobBaseFee: row.l1_blob_base_fee,
      blobBaseFeeScalar: row.l1_blob_base_fee_scalar,
    },
    operatorFee: { scalar: row.operator_fee_scalar, constant: row.operator_fee_constant },
    daFootprint: { gasScalar: row.da_footprint_gas_scalar, gas: row.da_footprint },
    deposit:
      row.source_hash === null
        ? null
        : {
            sourceHash: hex(row.source_hash),
            mint: row.mint,
            isSystem: row.is_system,
            nonce: row.deposit_nonce,
            receiptVersion: row.deposit_version,
          },
  }
}

export interface LogRow {
  readonly position: number
  readonly address: Bytes
  readonly topic0: Bytes | null
  readonly topic1: Bytes | null
  readonly topic2: Bytes | null
  readonly topic3: Bytes | null
  readonly data: Bytes
  readonly data_size: number
}

export function logView(row: LogRow) {
  const topics = [row.topic0, row.topic1, row.topic2, row.topic3].filter((topic) => topic !== null)
  return { position: row.position, address: hex(row.address), topics: topics.map(hex), data: hex(row.data), dataBytes: row.data_size }
}

export interface TokenRow {
  readonly address: Bytes
  readonly kind: number
  readonly first_block: number
  readonly name: string | null
  readonly symbol: string | null
  readonly decimals: number | null
}

export function tokenView(row: TokenRow) {
  return {
    address: hex(row.address),
    kind: `ERC-${row.kind}`,
    name: row.name,
    symbol: row.symbol,
    decimals: row.decimals,
    firstBlock: row.first_block,
  }
}

export interface TransferRow {
  readonly block: number
  readonly log_position: number
  readonly item: number
  readonly time: number
  readonly transaction: Bytes
  readonly token: Bytes
  readonly kind: number
  readonly sender: Bytes
  readonly recipient: Bytes
  readonly token_id: string | null
  readonly amount: string
  readonly name: string | null
  readonly symbol: string | null
  readonly decimals: number | null
}

export function transferView(row: TransferRow) {
  return {
    transaction: hex(row.transaction),
    block: row.block,
    logPosition: row.log_position,
    time: timeText(row.time),
    from: hex(row.sender),
    to: hex(row.recipient),
    amount: row.amount,
    tokenId: row.token_id,
    token: { address: hex(row.token), kind: `ERC-${row.kind}`, name: row.name, symbol: row.symbol, decimals: row.decimals },
  }
}
