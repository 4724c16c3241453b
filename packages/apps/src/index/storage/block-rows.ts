/** Rows of blocks as JSON, with bytea in PostgreSQL's hex format and numeric as text. */
import { findWithdrawal, type Withdrawal, withdrawalHash } from '@keelson/contracts'
import { type Address, type Hex, hexToBytes, L2_TO_L1_MESSAGE_PASSER, ZERO_ADDRESS } from '@keelson/primitives'
import type { ChainBlock, ChainTransaction } from '../chain/ports.ts'
import { type TokenTransfer, transfersOf } from '../tokens/token-transfers.ts'

export type JsonRow = Readonly<Record<string, string | number | boolean | null>>

export interface BlockRows {
  readonly blocks: JsonRow[]
  readonly transactions: JsonRow[]
  readonly logs: JsonRow[]
  readonly transfers: JsonRow[]
  readonly addresses: JsonRow[]
  readonly tokens: JsonRow[]
  readonly balances: JsonRow[]
  readonly withdrawals: JsonRow[]
  readonly hours: JsonRow[]
}

/** Bits of an address's part in a transaction. */
export const ROLES = { sender: 1, recipient: 2, created: 4, tokenSender: 8, tokenRecipient: 16 } as const
/** The rest is read from the node. */
export const MAX_INPUT_BYTES = 4_096
export const MAX_LOG_BYTES = 4_096
const HOUR_SEC = 3_600

export const bytea = (hex: Hex) => `\\x${hex.slice(2)}`
export const byteaOrNull = (hex: Hex | null | undefined) => (hex == null ? null : bytea(hex))
export const numeric = (value: bigint) => value.toString()
const numericOrNull = (value: bigint | null) => value?.toString() ?? null
const sizeOf = (hex: Hex) => hex.length / 2 - 1
const bounded = (hex: Hex, maxBytes: number) => bytea(hex.slice(0, 2 + 2 * maxBytes) as Hex)

interface Hour {
  blocks: number
  transactions: number
  gasUsed: bigint
  l2Fees: bigint
  l1Fees: bigint
}

export function rowsOf(chain: readonly ChainBlock[]): BlockRows {
  const rows: BlockRows = {
    blocks: [],
    transactions: [],
    logs: [],
    transfers: [],
    addresses: [],
    tokens: [],
    balances: [],
    withdrawals: [],
    hours: [],
  }
  const tokens = new Set<Address>()
  const balances = new Map<string, bigint>()
  const hours = new Map<number, Hour>()
  for (const block of chain) {
    let [l2Fees, l1Fees] = [0n, 0n]
    for (const tx of block.transactions) {
      if (tx.deposit === null) l2Fees += tx.gasUsed * tx.gasPriceWei
      l1Fees += tx.l1Fee.l1FeeWei ?? 0n
      rows.transactions.push(transactionRow(block, tx))
      const roles = new Map<Address, number>()
      const add = (address: Address | null, role: number) => {
        if (address !== null) roles.set(address, (roles.get(address) ?? 0) | role)
      }
      add(tx.sender, ROLES.sender)
      add(tx.recipient, ROLES.recipient)
      add(tx.created, ROLES.created)
      for (const log of tx.logs) {
        const [topic0, topic1, topic2, topic3] = log.topics
        rows.logs.push({
          block: block.number,
          position: log.position,
          tx_position: tx.position,
          address: bytea(log.address),
          topic0: byteaOrNull(topic0),
          topic1: byteaOrNull(topic1),
          topic2: byteaOrNull(topic2),
          topic3: byteaOrNull(topic3),
          data: bounded(log.data, MAX_LOG_BYTES),
          data_size: sizeOf(log.data),
        })
        const withdrawal = log.address === L2_TO_L1_MESSAGE_PASSER ? findWithdrawal({ ...log, data: hexToBytes(log.data) }) : null
        if (withdrawal !== null) rows.withdrawals.push(withdrawalRow(block, tx, log.position, withdrawal))
        for (const [item, transfer] of transfersOf(log).entries()) {
          rows.transfers.push(transferRow(block, tx, log.position, item, transfer))
          if (!tokens.has(transfer.token)) {
            tokens.add(transfer.token)
            rows.tokens.push({ address: bytea(transfer.token), kind: transfer.kind, first_block: block.number })
          }
          count(balances, transfer)
          if (transfer.sender !== ZERO_ADDRESS) add(transfer.sender, ROLES.tokenSender)
          if (transfer.recipient !== ZERO_ADDRESS) add(transfer.recipient, ROLES.tokenRecipient)
        }
      }
      for (const [address, role] of roles)
        rows.addresses.push({ address: bytea(address), block: block.number, position: tx.position, roles: role })
    }
    rows.blocks.push(blockRow(block, l2Fees, l1Fees))
    const at = Math.floor(block.timeSec / HOUR_SEC)
    const hour = hours.get(at) ?? { blocks: 0, transactions: 0, gasUsed: 0n, l2Fees: 0n, l1Fees: 0n }
    hours.set(at, {
      blocks: hour.blocks + 1,
      transactions: hour.transactions + block.transactions.length,
      gasUsed: hour.gasUsed + block.gasUsed,
      l2Fees: hour.l2Fees + l2Fees,
      l1Fees: hour.l1Fees + l1Fees,
    })
  }
  for (const [key, change] of balances) {
    if (change === 0n) continue
    const [token, holder] = key.split(' ') as [Address, Address]
    rows.balances.push({ token: bytea(token), holder: bytea(holder), balance: numeric(change) })
  }
  for (const [hour, { blocks, transactions, gasUsed, l2Fees, l1Fees }] of hours)
    rows.hours.push({ hour, blocks, transactions, gas_used: numeric(gasUsed), l2_fees: numeric(l2Fees), l1_fees: numeric(l1Fees) })
  return rows
}

function count(balances: Map<string, bigint>, { token, sender, recipient, amount }: TokenTransfer): void {
  const move = (holder: Address, change: bigint) => {
    if (holder === ZERO_ADDRESS) return
    const key = `${token} ${holder}`
    balances.set(key, (balances.get(key) ?? 0n) + change)
  }
  move(sender, -amount)
  move(recipient, amount)
}

function blockRow(block: ChainBlock, l2Fees: bigint, l1Fees: bigint): JsonRow {
  return {
    number: block.number,
    hash: bytea(block.hash),
    parent_hash: bytea(block.parentHash),
    time: block.timeSec,
    fee_recipient: bytea(block.feeRecipient),
    gas_used: numeric(block.gasUsed),
    gas_limit: numeric(block.gasLimit),
    base_fee: numericOrNull(block.baseFeeWei),
    size: block.sizeBytes,
    transactions: block.transactions.length,
    l2_fees: numeric(l2Fees),
    l1_fees: numeric(l1Fees),
  }
}

function transactionRow({ number }: ChainBlock, tx: ChainTransaction): JsonRow {
  const { l1Fee, deposit } = tx
  return {
    block: number,
    position: tx.position,
    hash: bytea(tx.hash),
    type: tx.type,
    sender: bytea(tx.sender),
    recipient: byteaOrNull(tx.recipient),
    created: byteaOrNull(tx.created),
    nonce: numeric(tx.nonce),
    value: numeric(tx.valueWei),
    gas_limit: numeric(tx.gasLimit),
    gas_used: numeric(tx.gasUsed),
    gas_price: numeric(tx.gasPriceWei),
    max_fee: numericOrNull(tx.maxFeeWei),
    max_priority_fee: numericOrNull(tx.maxPriorityFeeWei),
    succeeded: tx.succeeded,
    input: bounded(tx.input, MAX_INPUT_BYTES),
    input_size: sizeOf(tx.input),
    l1_fee: numericOrNull(l1Fee.l1FeeWei),
    l1_gas_used: numericOrNull(l1Fee.l1GasUsed),
    l1_gas_price: numericOrNull(l1Fee.l1GasPriceWei),
    l1_base_fee_scalar: numericOrNull(l1Fee.l1BaseFeeScalar),
    l1_blob_base_fee: numericOrNull(l1Fee.l1BlobBaseFeeWei),
    l1_blob_base_fee_scalar: numericOrNull(l1Fee.l1BlobBaseFeeScalar),
    operator_fee_scalar: numericOrNull(l1Fee.operatorFeeScalar),
    operator_fee_constant: numericOrNull(l1Fee.operatorFeeConstant),
    da_footprint_gas_scalar: numericOrNull(l1Fee.daFootprintGasScalar),
    da_footprint: numericOrNull(l1Fee.daFootprint),
    source_hash: byteaOrNull(deposit?.sourceHash),
    mint: numericOrNull(deposit?.mintWei ?? null),
    is_system: deposit?.isSystem ?? null,
    deposit_nonce: numericOrNull(deposit?.nonce ?? null),
    deposit_version: numericOrNull(deposit?.version ?? null),
  }
}

function transferRow(block: ChainBlock, tx: ChainTransaction, logPosition: number, item: number, transfer: TokenTransfer): JsonRow {
  return {
    block: block.number,
    log_position: logPosition,
    item,
    tx_position: tx.position,
    token: bytea(transfer.token),
    kind: transfer.kind,
    sender: bytea(transfer.sender),
    recipient: bytea(transfer.recipient),
    token_id: numericOrNull(transfer.tokenId),
    amount: numeric(transfer.amount),
  }
}

function withdrawalRow(block: ChainBlock, tx: ChainTransaction, logPosition: number, withdrawal: Withdrawal): JsonRow {
  return {
    block: block.number,
    log_position: logPosition,
    tx_position: tx.position,
    initiator: bytea(tx.sender),
    sender: bytea(withdrawal.sender),
    target: bytea(withdrawal.target),
    value: numeric(withdrawal.valueWei),
    hash: bytea(withdrawalHash(withdrawal)),
  }
}
