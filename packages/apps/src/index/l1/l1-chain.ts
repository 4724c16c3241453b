/** Batches and deposits of L1 blocks, which the client verifies by their hashes. */
import { type BeaconClient, ClientError, type L1Client } from '@keelson/client'
import { DEPOSIT_EVENT_TOPIC, decodeBatcherTransaction, decodeBlob, decodeDepositLog } from '@keelson/derivation/codec'
import {
  type Address,
  bloomMayContain,
  bytesToHex,
  type Clock,
  CodecError,
  type Crypto,
  equalBytes,
  type Hash,
  hexToBytes,
  isPostExec,
  type L1BlockRef,
  type Log,
  type PostExecTransaction,
  recoverSender,
  type Transaction,
  TX_BLOB,
  toAddress,
  toHash,
  ZERO_ADDRESS,
} from '@keelson/primitives'
import { type BridgeSenders, type DepositFacts, factsOfDeposit } from '../../bridge/deposit-facts.ts'
import type { FollowedChain } from '../follow/follower.ts'
import type { L1Batch, L1Deposit, L1Frame, L1IndexBlock, L1Rollup } from './ports.ts'

export interface L1ChainDependencies {
  readonly client: L1Client
  readonly blobs: Pick<BeaconClient, 'blobs'> | null
  readonly crypto: Pick<Crypto, 'recover'>
  readonly rollup: L1Rollup
  readonly clock: Clock
}

const HASHES_AT_ONCE = 16
/** Beacon nodes keep blobs for 4,096 epochs, about 18 days. */
const BLOBS_KEPT_MS = 18 * 86_400_000
/** A block counts as this many transactions when parts are measured. */
const BLOCK_WEIGHT = 100

export function createL1Chain(deps: L1ChainDependencies): FollowedChain<L1IndexBlock> {
  const { client, rollup } = deps
  const inbox = hexToBytes(rollup.inbox)
  const [portal, topic] = [hexToBytes(rollup.portal), hexToBytes(DEPOSIT_EVENT_TOPIC)]

  const senderOf = (tx: Transaction): Address | null => {
    const sender = recoverSender(tx, deps.crypto)
    return sender === null ? null : (bytesToHex(sender) as Address)
  }

  const batchesOf = async (block: L1BlockRef, transactions: readonly Transaction[]): Promise<readonly L1Batch[]> => {
    const found: L1Batch[] = []
    for (const [position, tx] of transactions.entries()) {
      if (isPostExec(tx) || tx.to === null || !equalBytes(tx.to, inbox)) continue
      const sender = senderOf(tx)
      if (sender === null || !rollup.batchers.has(sender)) continue
      const data = await dataOf(deps, block, tx)
      found.push({
        position,
        hash: tx.hash,
        sender,
        blobs: tx.type === TX_BLOB ? tx.blobVersionedHashes.length : 0,
        bytes: (data ?? []).reduce((sum, item) => sum + item.length, 0),
        readable: data !== null,
        frames: (data ?? []).flatMap(framesOf),
      })
    }
    return found
  }

  const depositsOf = async (block: L1BlockRef, transactions: readonly Transaction[]): Promise<readonly L1Deposit[] | null> => {
    const header = await client.header(block.hash)
    if (header === null) return null
    if (!bloomMayContain(header.logsBloom, portal) || !bloomMayContain(header.logsBloom, topic)) return []
    const receipts = await client.receipts(block.hash)
    if (receipts === null) return null
    const found: L1Deposit[] = []
    let logPosition = -1
    for (const [i, receipt] of receipts.entries()) {
      for (const log of receipt.logs) {
        logPosition++
        if (log.address !== rollup.portal || log.topics[0] !== DEPOSIT_EVENT_TOPIC) continue
        const tx = transactions[i]
        const deposit = depositOf(log, block.hash, logPosition, rollup.senders)
        if (deposit === null || tx === undefined) continue
        found.push({ logPosition, l1Transaction: tx.hash, initiator: senderOf(tx) ?? ZERO_ADDRESS, ...deposit })
      }
    }
    return found
  }

  const blockAt = async (number: number): Promise<L1IndexBlock | null> => {
    const block = await client.blockRef(number)
    const transactions = block === null ? null : await client.transactions(block.hash)
    if (block === null || transactions === null) return null
    const deposits = await depositsOf(block, transactions)
    if (deposits === null) return null
    return { ...block, timeSec: block.timestampSec, batches: await batchesOf(block, transactions), deposits }
  }

  return {
    weightOf: ({ batches }) => BLOCK_WEIGHT * (1 + batches.length),
    async head() {
      const block = await client.blockRef('latest')
      if (block === null) throw new ClientError('client/block-missing', 'temporary', 'L1 has no latest block')
      return { number: block.number, hash: block.hash }
    },
    async hashes(numbers) {
      const hashes: (Hash | null)[] = []
      for (let at = 0; at < numbers.length; at += HASHES_AT_ONCE) {
        const refs = await Promise.all(numbers.slice(at, at + HASHES_AT_ONCE).map((number) => client.blockRef(number)))
        hashes.push(...refs.map((ref) => ref?.hash ?? null))
      }
      return hashes
    },
    async blocks(from, count) {
      const blocks: L1IndexBlock[] = []
      for (let i = 0; i < count; i++) {
        const block = await blockAt(from + i)
        const parent = blocks.at(-1)
        if (block === null || (parent !== undefined && parent.hash !== block.parentHash)) break
        blocks.push(block)
      }
      return blocks
    },
  }
}

/** Null when the blobs are gone for good, or no beacon node is known. */
async function dataOf(
  { blobs, clock }: L1ChainDependencies,
  block: L1BlockRef,
  tx: Exclude<Transaction, PostExecTransaction>,
): Promise<readonly Uint8Array[] | null> {
  if (tx.type !== TX_BLOB) return [tx.data]
  if (blobs === null) return null
  try {
    const found = await blobs.blobs(block, tx.blobVersionedHashes.map(toHash))
    return found.flatMap(blobData)
  } catch (error) {
    const isOld = clock.nowMs() - block.timestampSec * 1000 > BLOBS_KEPT_MS
    if (isOld && error instanceof ClientError && error.code === 'client/blobs-unavailable') return null
    throw error
  }
}

function blobData(blob: Uint8Array): readonly Uint8Array[] {
  return orNothing(() => [decodeBlob(blob)])
}

function framesOf(data: Uint8Array): readonly L1Frame[] {
  return orNothing(() =>
    decodeBatcherTransaction(data).map(({ channelId, number, isLast, data: bytes }) => ({
      channel: channelId,
      number,
      isLast,
      data: bytes,
    })),
  )
}

type DepositOfLog = Omit<L1Deposit, 'logPosition' | 'l1Transaction' | 'initiator'>

function depositOf(log: Log, l1BlockHash: Hash, logPosition: number, senders: BridgeSenders): DepositOfLog | null {
  try {
    const decoded = decodeDepositLog(log, l1BlockHash, logPosition)
    const { hash, from, to, mintWei, valueWei } = decoded
    const sender = toAddress(from)
    const recipient = to === null ? null : toAddress(to)
    const facts = factsOfDeposit(decoded, logPosition, senders)
    return { l2Transaction: hash, sender, recipient, mintWei, valueWei, ...messageOf(facts, recipient, senders) }
  } catch (error) {
    if (error instanceof CodecError) return null
    throw error
  }
}

function orNothing<T>(decode: () => readonly T[]): readonly T[] {
  try {
    return decode()
  } catch (error) {
    if (error instanceof CodecError) return []
    throw error
  }
}

/** Only the L1 messenger's own messages count: anybody can send the same bytes to the messenger on L2. */
function messageOf(
  { sender, recipient, messageHash }: DepositFacts,
  calledOnL2: Address | null,
  { messenger }: BridgeSenders,
): Pick<L1Deposit, 'transfer' | 'messageHash'> {
  if (messenger === null || messageHash === null) return { transfer: null, messageHash: null }
  return { transfer: recipient === null || recipient === calledOnL2 ? null : { from: sender, to: recipient }, messageHash }
}
