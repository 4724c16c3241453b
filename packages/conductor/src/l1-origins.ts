/** Whether L1 still has the blocks that L2 blocks were built on. */
import { type BlockId, type Clock, type Logger, messageOf } from '@keelson/primitives'
import { withDeadline } from '@keelson/runtime'
import type { CandidateStatus, L1Hashes } from './ports.ts'

export interface L1Origins {
  /** Null when L1 does not say within a second. */
  has(origin: BlockId): Promise<boolean | null>
  /** Whether L1 replaced the origin of the candidate's unsafe head, so that the candidate will revert that block. */
  isReverted(status: CandidateStatus): Promise<boolean>
}

const LIMIT_MS = 1_000

export function createL1Origins(
  l1: L1Hashes,
  { clock, log }: { readonly clock: Pick<Clock, 'sleep'>; readonly log: Pick<Logger, 'debug'> },
): L1Origins {
  const origins: L1Origins = {
    async has({ number, hash }) {
      try {
        const known = await withDeadline(l1.hashAt(number), { clock, ms: LIMIT_MS, what: 'reading an L1 block' })
        return known === null ? null : known === hash
      } catch (error) {
        log.debug('L1 does not answer', { reason: messageOf(error) })
        return null
      }
    },
    isReverted: async ({ unsafeOrigin }) => unsafeOrigin !== null && (await origins.has(unsafeOrigin)) === false,
  }
  return origins
}
