/**
 * Follows L1 and writes every deposit into the record store. Final blocks are read in pages of logs; the others one by
 * one, verified and remembered by hash, so that a reorg is seen as soon as another block stands in a place that was read.
 */
import type { Hash, L1BlockRef, Logger } from '@keelson/primitives'
import { CodecError } from '@keelson/primitives'
import { type BridgeSenders, type DepositFacts, depositFacts } from './deposit-facts.ts'
import type { BridgeL1, LocatedLog } from './ports.ts'
import type { TransactionRecord } from './record.ts'
import type { RecordStore } from './record-store.ts'

export interface L1IndexerOptions {
  /** First L1 block that can hold a deposit. */
  readonly startBlock: number
  readonly senders: BridgeSenders
  /** Blocks in one question for logs. */
  readonly pageBlocks: number
  /** Most pages, and most single blocks, of one step. */
  readonly pagesPerStep: number
  readonly blocksPerStep: number
}

export interface L1IndexerDependencies {
  readonly l1: Pick<BridgeL1, 'blockRef' | 'depositsIn' | 'depositsBetween'>
  readonly records: RecordStore
  readonly log: Logger
}

export interface L1Indexer {
  /** Goes on from the cursor. Gives whether there is more to read at once. */
  step(): Promise<boolean>
  /** As last seen, never lower than before unless L1 took blocks back. */
  readonly head: L1BlockRef | null
  readonly finalized: L1BlockRef | null
  /** Seconds between L1 blocks, as seen. */
  readonly blockTimeSec: number
}

/** Where L1 tells no finalized block, blocks deeper than this are read by page. */
const DEPTH_WITHOUT_FINALITY = 128
/** Hashes kept below the finalized block, to notice a chain that takes back even that; and at most in all. */
const HASHES_BELOW_FINALIZED = 64
const MAX_HASHES = 4_096
const DEFAULT_BLOCK_TIME_SEC = 12

export function createL1Indexer(options: L1IndexerOptions, { l1, records, log }: L1IndexerDependencies): L1Indexer {
  let head: L1BlockRef | null = null
  let finalized: L1BlockRef | null = null
  let firstHead: L1BlockRef | null = null

  const byTransaction = (logs: readonly LocatedLog[]): TransactionRecord[] => {
    const grouped = new Map<Hash, LocatedLog[]>()
    for (const located of logs) grouped.set(located.txHash, [...(grouped.get(located.txHash) ?? []), located])
    return [...grouped].map(([txHash, located]) => {
      const { block } = located[0] as LocatedLog
      return includedRecord(txHash, block, readDeposits(located, options.senders, log), records.get(txHash))
    })
  }

  /**
   * How far back to go is found a block at a time; what was in those blocks waits in the pool again. False when L1 does
   * not have the blocks that would tell: then nothing is taken back.
   */
  const retreat = async (below: number): Promise<boolean> => {
    const from = records.cursor?.number ?? 0
    const oldest = records.oldestHash ?? from
    let number = below - 1
    for (; number >= oldest; number--) {
      const known = records.hashAt(number)
      const there = await l1.blockRef(number)
      if (there === null) return false
      if (known === there.hash) break
    }
    const hash = records.hashAt(number)
    await records.retreat({ number: Math.max(number, options.startBlock - 1), hash }, reorgedRecord)
    head = null
    log.warn('L1 took blocks back', { from, to: number, known: hash !== null })
    return true
  }

  const readPages = async (upTo: number): Promise<void> => {
    for (let pages = 0; pages < options.pagesPerStep; pages++) {
      const from = (records.cursor?.number ?? options.startBlock - 1) + 1
      if (from > upTo) return
      const to = Math.min(from + options.pageBlocks - 1, upTo)
      const last = await l1.blockRef(to)
      if (last === null) return
      await records.advance({ number: to, hash: last.hash }, byTransaction(await l1.depositsBetween(from, to)), to === upTo)
    }
  }

  const readBlocks = async (upTo: number): Promise<void> => {
    for (let read = 0; read < options.blocksPerStep; read++) {
      const { cursor } = records
      const number = (cursor?.number ?? options.startBlock - 1) + 1
      if (number > upTo) return
      const block = await l1.blockRef(number)
      // another chain than the cursor's: the next step sees it there
      if (block === null || (cursor !== null && cursor.hash !== null && block.parentHash !== cursor.hash)) return
      const logs = await l1.depositsIn(block)
      if (logs === null) return
      await records.advance({ number, hash: block.hash }, byTransaction(logs), true)
    }
  }

  return {
    get head() {
      return head
    },
    get finalized() {
      return finalized
    },
    get blockTimeSec() {
      if (head === null || firstHead === null || head.number <= firstHead.number) return DEFAULT_BLOCK_TIME_SEC
      return Math.max(1, (head.timestampSec - firstHead.timestampSec) / (head.number - firstHead.number))
    },
    async step() {
      const [latest, final] = [await l1.blockRef('latest'), await l1.blockRef('finalized')]
      if (latest === null) return false
      if (head === null || latest.number > head.number) head = latest
      firstHead ??= latest
      if (final !== null && final.number > (finalized?.number ?? -1)) finalized = final
      const { cursor } = records
      if (cursor !== null && cursor.hash !== null && cursor.number >= options.startBlock) {
        // an L1 that is behind is no reorg, unless its own head is another block than ours in that place
        const number = Math.min(cursor.number, latest.number)
        const known = records.hashAt(number)
        const there = number === latest.number ? latest : await l1.blockRef(number)
        if (there === null || (known === null && number < cursor.number)) return false
        if (there.hash !== (known ?? cursor.hash)) return retreat(number)
        if (number < cursor.number) return false
      }
      const deep = Math.min(latest.number, final?.number ?? latest.number - DEPTH_WITHOUT_FINALITY)
      await readPages(deep)
      if ((records.cursor?.number ?? options.startBlock - 1) >= deep) await readBlocks(latest.number)
      const at = records.cursor?.number ?? options.startBlock - 1
      await records.forgetHashes(Math.max(Math.min(deep, at) - HASHES_BELOW_FINALIZED, at - MAX_HASHES))
      return at < latest.number
    },
  }
}

/** What the record becomes when its transaction is seen in `block`: progress stays when it is the same block. */
export function includedRecord(
  txHash: Hash,
  block: L1BlockRef,
  deposits: readonly DepositFacts[],
  before: TransactionRecord | null,
): TransactionRecord {
  const known = new Map(before?.deposits.map((deposit) => [deposit.l2TxHash, deposit.inclusion]) ?? [])
  return {
    txHash,
    submittedMs: Math.min(before?.submittedMs ?? Number.POSITIVE_INFINITY, block.timestampSec * 1000),
    block: { number: block.number, hash: block.hash, timestampSec: block.timestampSec },
    reason: null,
    deposits: deposits.map((facts) => ({ ...facts, inclusion: known.get(facts.l2TxHash) ?? null })),
    reorged: before?.reorged ?? false,
    pool: null,
  }
}

/** What it becomes when L1 takes its block back: it waits again, and has no hash on L2 until it is in another block. */
export function reorgedRecord(record: TransactionRecord): TransactionRecord {
  return { ...record, block: null, reason: null, deposits: [], reorged: true, pool: null }
}

export function readDeposits(logs: readonly LocatedLog[], senders: BridgeSenders, log: Logger): DepositFacts[] {
  return logs.flatMap((located) => {
    try {
      return [depositFacts(located, senders)]
    } catch (error) {
      if (!(error instanceof CodecError)) throw error
      log.warn('a log of the portal cannot be read as a deposit', { txHash: located.txHash, logIndex: located.logIndex, error })
      return []
    }
  })
}
