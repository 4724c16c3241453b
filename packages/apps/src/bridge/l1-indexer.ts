/** Reads logs of final blocks in pages, and later blocks one by one with their hashes, to detect reorgs. */
import type { Clock, Hash, L1BlockRef, Logger } from '@keelson/primitives'
import { CodecError } from '@keelson/primitives'
import { createProgressLog } from '@keelson/runtime'
import { type BridgeSenders, type DepositFacts, depositFacts } from './deposit-facts.ts'
import type { BridgeL1, LocatedLog } from './ports.ts'
import type { TransactionRecord } from './record.ts'
import type { RecordStore } from './record-store.ts'

export interface L1IndexerOptions {
  readonly startBlock: number
  readonly senders: BridgeSenders
  readonly pageBlocks: number
  readonly pagesPerStep: number
  readonly blocksPerStep: number
}

export interface L1IndexerDependencies {
  readonly l1: Pick<BridgeL1, 'blockRef' | 'depositsIn' | 'depositsBetween'>
  readonly records: RecordStore
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly log: Logger
}

export interface L1Indexer {
  step(): Promise<boolean>
  readonly head: L1BlockRef | null
  readonly finalized: L1BlockRef | null
  readonly blockTimeSec: number
}

/** Depth below which blocks are read in pages while none is finalized. */
const DEPTH_WITHOUT_FINALITY = 128
/** Hashes kept below the finalized block to detect deep reorgs. */
const HASHES_BELOW_FINALIZED = 64
const MAX_HASHES = 4_096
const DEFAULT_BLOCK_TIME_SEC = 12

export function createL1Indexer(options: L1IndexerOptions, { l1, records, clock, log }: L1IndexerDependencies): L1Indexer {
  const progress = createProgressLog('reading deposits from L1', clock, log)
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

  /** Moves the index back to its last block that is still on L1. Returns false when L1 lacks a block on the way. */
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
    log.warn('L1 reorganized', { from, to: number, known: hash !== null })
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
        // A lagging node must not look like a reorg.
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
      if (at < deep) progress.note(at, deep)
      await records.forgetHashes(Math.max(Math.min(deep, at) - HASHES_BELOW_FINALIZED, at - MAX_HASHES))
      return at < latest.number
    },
  }
}

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

export function reorgedRecord(record: TransactionRecord): TransactionRecord {
  return { ...record, block: null, reason: null, deposits: [], reorged: true, pool: null }
}

export function readDeposits(logs: readonly LocatedLog[], senders: BridgeSenders, log: Logger): DepositFacts[] {
  return logs.flatMap((located) => {
    try {
      return [depositFacts(located, senders)]
    } catch (error) {
      if (!(error instanceof CodecError)) throw error
      log.warn('cannot decode a deposit log of the portal', { txHash: located.txHash, logIndex: located.logIndex, error })
      return []
    }
  })
}
