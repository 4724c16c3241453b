import { FAILED_RELAYED_MESSAGE_TOPIC } from '@keelson/contracts'
import { type Address, bytesToHex, type Hash, hexToBytes, L2_CROSS_DOMAIN_MESSENGER } from '@keelson/primitives'
import type { Sql } from '../storage/database.ts'
import { TOP } from './chain-queries.ts'
import { listed, type Page } from './page.ts'
import { hex, hexOrNull, timeText } from './views.ts'

const TOP_POSITION = 2 ** 31 - 1
/** Batches listed for a block or an L1 transaction; a batcher that repeats itself can make more. */
const MAX_PARTS = 50

interface BatchRow {
  readonly l1_block: number
  readonly position: number
  readonly time: number
  readonly hash: Uint8Array
  readonly sender: Uint8Array
  readonly blobs: number
  readonly bytes: number
  readonly readable: boolean
}

function batchView(row: BatchRow) {
  return {
    transaction: hex(row.hash),
    l1Block: row.l1_block,
    time: timeText(row.time),
    from: hex(row.sender),
    carrier: row.blobs > 0 ? 'blobs' : 'calldata',
    blobs: row.blobs,
    bytes: row.bytes,
    readable: row.readable,
  }
}

interface ChannelRow {
  readonly channel: Uint8Array
  readonly l1_block: number
  readonly first_block: number | null
  readonly last_block: number | null
  readonly batches: number
  readonly problem: string | null
}

function channelView(row: ChannelRow) {
  return {
    channel: hex(row.channel),
    closedInL1Block: row.l1_block,
    firstBlock: row.first_block,
    lastBlock: row.last_block,
    batches: row.batches,
    problem: row.problem,
  }
}

const BATCHES = 'select b.*, x.time from l1_batches b join l1_blocks x on x.number = b.l1_block'

export async function listBatches(sql: Sql, { before, limit }: Page) {
  const rows = await sql.query<BatchRow>(
    `${BATCHES} where (b.l1_block, b.position) < ($1, $2) order by b.l1_block desc, b.position desc limit $3`,
    [Number(before?.[0] ?? TOP), Number(before?.[1] ?? TOP_POSITION), limit + 1],
  )
  return listed(rows, limit, batchView, ({ l1_block, position }) => [l1_block, position])
}

export async function findBatch(sql: Sql, transaction: Hash) {
  const [row] = await sql.query<BatchRow>(`${BATCHES} where b.hash = $1`, [hexToBytes(transaction)])
  if (row === undefined) return null
  const channels = await sql.query<ChannelRow>(
    `select distinct c.* from l1_frames f join l1_channels c on c.channel = f.channel
      where f.l1_block = $1 and f.tx_position = $2 order by c.first_block limit $3`,
    [row.l1_block, row.position, MAX_PARTS],
  )
  return { ...batchView(row), channels: channels.map(channelView) }
}

/** The L1 transactions that carried a block; none before its batch is on L1. */
export async function findCarriers(sql: Sql, block: number) {
  const [channel] = await sql.query<ChannelRow>(
    'select * from l1_channels where last_block >= $1 and first_block <= $1 order by last_block, first_block, l1_block limit 1',
    [block],
  )
  if (channel === undefined) return { block, channel: null, transactions: [] }
  const rows = await sql.query<BatchRow>(
    `select distinct b.*, x.time from l1_frames f join l1_batches b on b.l1_block = f.l1_block and b.position = f.tx_position
      join l1_blocks x on x.number = b.l1_block where f.channel = $1 and f.l1_block <= $2 order by b.l1_block, b.position limit $3`,
    [channel.channel, channel.l1_block, MAX_PARTS],
  )
  return { block, channel: channelView(channel), transactions: rows.map(batchView) }
}

interface DepositRow {
  readonly l1_block: number
  readonly log_position: number
  readonly time: number
  readonly l1_transaction: Uint8Array
  readonly l2_transaction: Uint8Array
  readonly initiator: Uint8Array
  readonly sender: Uint8Array
  readonly recipient: Uint8Array | null
  readonly mint: string
  readonly value: string
  readonly transfer_sender: Uint8Array | null
  readonly transfer_recipient: Uint8Array | null
  readonly block: number | null
  readonly succeeded: boolean | null
}

const PARTIES = ['initiator', 'sender', 'recipient', 'transfer_sender', 'transfer_recipient']
/** The messenger's transaction succeeds also when the call that it relays fails. */
const FAILED_RELAY = `exists (select 1 from logs l where l.block = t.block and l.tx_position = t.position
  and l.address = $5 and l.topic0 = $6 and l.topic1 = d.message_hash)`

export async function listDeposits(sql: Sql, address: Address, page: Page) {
  const of = (party: string) =>
    `(select * from l1_deposits where ${party} = $1 and (l1_block, log_position) < ($2, $3)
      order by l1_block desc, log_position desc limit $4)`
  const rows = await sql.query<DepositRow>(
    `select d.*, x.time, t.block, t.succeeded and not ${FAILED_RELAY} as succeeded from (${PARTIES.map(of).join(' union ')}) d
      join l1_blocks x on x.number = d.l1_block left join transactions t on t.hash = d.l2_transaction
      order by d.l1_block desc, d.log_position desc limit $4`,
    [
      hexToBytes(address),
      Number(page.before?.[0] ?? TOP),
      Number(page.before?.[1] ?? TOP_POSITION),
      page.limit + 1,
      hexToBytes(L2_CROSS_DOMAIN_MESSENGER),
      hexToBytes(FAILED_RELAYED_MESSAGE_TOPIC),
    ],
  )
  const view = (row: DepositRow) => ({
    l1Transaction: hex(row.l1_transaction),
    l1Block: row.l1_block,
    time: timeText(row.time),
    initiator: hex(row.initiator),
    from: hex(row.sender),
    to: hexOrNull(row.recipient),
    mint: row.mint,
    value: row.value,
    /** Sender and recipient of a message that the L1 messenger sent; null for other deposits. */
    transfer:
      row.transfer_sender === null || row.transfer_recipient === null
        ? null
        : { from: hex(row.transfer_sender), to: hex(row.transfer_recipient) },
    l2Transaction: hex(row.l2_transaction),
    /** Null until the L2 block is indexed. */
    block: row.block,
    succeeded: row.succeeded,
  })
  return listed(rows, page.limit, view, ({ l1_block, log_position }) => [l1_block, log_position])
}

interface WithdrawalRow {
  readonly block: number
  readonly log_position: number
  readonly time: number
  readonly transaction: Uint8Array
  readonly initiator: Uint8Array
  readonly sender: Uint8Array
  readonly target: Uint8Array
  readonly value: string
  readonly hash: Uint8Array
}

export async function listWithdrawals(sql: Sql, address: Address, page: Page) {
  const of = (party: string) =>
    `(select * from withdrawals where ${party} = $1 and (block, log_position) < ($2, $3)
      order by block desc, log_position desc limit $4)`
  const rows = await sql.query<WithdrawalRow>(
    `select w.*, b.time, t.hash as transaction from (${['initiator', 'sender', 'target'].map(of).join(' union ')}) w
      join blocks b on b.number = w.block join transactions t on t.block = w.block and t.position = w.tx_position
      order by w.block desc, w.log_position desc limit $4`,
    [hexToBytes(address), Number(page.before?.[0] ?? TOP), Number(page.before?.[1] ?? TOP_POSITION), page.limit + 1],
  )
  const view = (row: WithdrawalRow) => ({
    transaction: hex(row.transaction),
    block: row.block,
    time: timeText(row.time),
    initiator: hex(row.initiator),
    from: hex(row.sender),
    to: hex(row.target),
    value: row.value,
    withdrawalHash: bytesToHex(row.hash),
  })
  return listed(rows, page.limit, view, ({ block, log_position }) => [block, log_position])
}
