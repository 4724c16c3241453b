/** Walks the unsafe chain and detects reorgs below the cursor. */
import { forkLimitOf, type RollupConfig } from '@keelson/chainspec'
import type { Hash, L2BlockRef, SyncStatus } from '@keelson/primitives'
import { type BatchBlock, toBatchBlock } from './batch-block.ts'
import { BatcherError } from './errors.ts'
import type { L2Blocks } from './ports.ts'

export interface BlockCursor {
  readonly tip: L2BlockRef | null
  /** Set when the next block is in an unsupported fork. */
  readonly end: string | null
  restart(from: L2BlockRef): void
  /** Returns the reason for a restart, or null. */
  check(status: SyncStatus): string | null
  /**
   * Returns the next block, null if there is none, or a reason to restart if its parent is unexpected. Throws BatcherError
   * `batcher/block-missing` (temporary).
   */
  next(unsafe: L2BlockRef): Promise<BatchBlock | string | null>
  take(block: BatchBlock): void
}

export function createBlockCursor(config: RollupConfig, l2: L2Blocks): BlockCursor {
  const limit = forkLimitOf(config)
  let tip: L2BlockRef | null = null
  let lowestSafe = 0
  const taken = new Map<number, Hash>()

  function differs(safe: L2BlockRef): boolean {
    const hash = taken.get(safe.number)
    return hash !== undefined && hash !== safe.hash
  }

  return {
    get tip() {
      return tip
    },
    get end() {
      return tip !== null && limit?.isLast(tip.timestampSec) === true ? limit.sentence : null
    },
    restart(from) {
      tip = from
      lowestSafe = from.number
      taken.clear()
      taken.set(from.number, from.hash)
    },
    check({ safeL2, unsafeL2 }) {
      if (tip === null) return null
      if (safeL2.number < lowestSafe) return `the safe head went back from block ${lowestSafe} to ${safeL2.number}`
      if (differs(safeL2)) return `safe block ${safeL2.number} is ${safeL2.hash}, but the batched block is ${taken.get(safeL2.number)}`
      if (safeL2.number > tip.number) return `the safe head ${safeL2.number} is ahead of the last batched block ${tip.number}`
      if (unsafeL2.number < tip.number)
        return `the unsafe head went back to block ${unsafeL2.number}, below the batched block ${tip.number}`
      lowestSafe = safeL2.number
      for (const number of taken.keys()) if (number < safeL2.number) taken.delete(number)
      return null
    },
    async next(unsafe) {
      if (tip === null || tip.number >= unsafe.number || limit?.isLast(tip.timestampSec)) return null
      const number = tip.number + 1
      const envelope = await l2.payload(number)
      if (envelope === null) {
        throw new BatcherError(
          'batcher/block-missing',
          'temporary',
          `the execution client does not have L2 block ${number}, but the unsafe head is ${unsafe.number}; retrying`,
          { number },
        )
      }
      const block = toBatchBlock(envelope.payload, config)
      if (block.ref.parentHash !== tip.hash) {
        return `L2 block ${number} builds on ${block.ref.parentHash}, but the batched block is ${tip.hash}: the unsafe chain changed`
      }
      return block
    },
    take({ ref }) {
      tip = ref
      taken.set(ref.number, ref.hash)
    },
  }
}
