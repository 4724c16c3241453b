import type { RollupConfig } from '@keelson/chainspec'
import { type L1Reader, maxSequencerDriftSec } from '@keelson/derivation'
import type { Clock, L1BlockRef, L2BlockRef } from '@keelson/primitives'
import { withDeadline } from '@keelson/runtime'
import { describeBlock } from '../blocks/l2-heads.ts'
import { ConsensusError } from '../errors.ts'

export interface OriginSelector {
  /**
   * Returns the next L1 block once its time and confirmations allow, otherwise the current origin. specs:
   * protocol/derivation.md#overview (time constraints) Throws ConsensusError `consensus/l1-reorg` (reset) if L1 replaced the
   * head's origin, `consensus/l1-unavailable` (temporary) if the next L1 block is required and missing.
   */
  select(head: L2BlockRef): Promise<L1BlockRef>
  revalidate(): void
  /** In recover mode confirmations are ignored, so that origins equal those of a sequencing window without batches. */
  setRecoverMode(on: boolean): void
}

export interface OriginSelectorDependencies {
  readonly config: RollupConfig
  readonly confirmed: L1Reader
  readonly l1: L1Reader
  readonly clock: Pick<Clock, 'sleep'>
}

/** Time limit for L1, so that the block is not late. */
const PATIENCE_MS = 500

export function createOriginSelector({ config, confirmed, l1, clock }: OriginSelectorDependencies): OriginSelector {
  let current: L1BlockRef | null = null
  let recover = false

  async function currentOrigin(head: L2BlockRef): Promise<L1BlockRef> {
    if (current?.hash !== head.l1Origin.hash) {
      const block = await l1.blockRef(head.l1Origin.number)
      if (block !== null && block.hash !== head.l1Origin.hash) throw reorg(head, block)
      if (block === null) throw missing(head, `L1 does not have block ${describeBlock(head.l1Origin)}, the origin of the unsafe head`)
      current = block
    }
    return current
  }

  async function follower(origin: L1BlockRef, reader: L1Reader, head: L2BlockRef): Promise<L1BlockRef | null> {
    const block = await reader.blockRef(origin.number + 1)
    if (block === null) return null
    if (block.parentHash !== origin.hash) throw reorg(head, block)
    return block
  }

  function inTime(lookup: Promise<L1BlockRef | null>): Promise<L1BlockRef | null> {
    return withDeadline(lookup, { clock, ms: PATIENCE_MS, onTimeout: () => null })
  }

  return {
    async select(head) {
      const timestampSec = head.timestampSec + config.blockTimeSec
      const origin = await currentOrigin(head)
      const drift = maxSequencerDriftSec(config, origin)
      const overdue = timestampSec > origin.timestampSec + drift
      const lookup = follower(origin, overdue || recover ? l1 : confirmed, head)
      const following = await (overdue || recover ? lookup : inTime(lookup)).catch((error: unknown) => {
        // if L1 fails, keep the current origin for now
        if (overdue || recover || error instanceof ConsensusError) throw error
        return null
      })
      if (following !== null && following.timestampSec <= timestampSec) {
        current = following
        return following
      }
      if (overdue && following === null) {
        throw missing(
          head,
          `the next block would be ${timestampSec - origin.timestampSec} s after its origin ${describeBlock(origin)}, at most ${drift} s are allowed, and L1 has no later block`,
        )
      }
      return origin
    },
    revalidate() {
      current = null
    },
    setRecoverMode(on) {
      recover = on
    },
  }
}

function reorg(head: L2BlockRef, seen: L1BlockRef): ConsensusError {
  return new ConsensusError(
    'consensus/l1-reorg',
    'reset',
    `L1 reorg: the unsafe head ${describeBlock(head)} has the origin ${describeBlock(head.l1Origin)}, L1 now has ${describeBlock(seen)} with parent ${seen.parentHash.slice(0, 10)}`,
    { l2: head.hash, origin: head.l1Origin.hash, seen: seen.hash },
  )
}

function missing(head: L2BlockRef, message: string): ConsensusError {
  return new ConsensusError('consensus/l1-unavailable', 'temporary', message, { l2: head.hash })
}
