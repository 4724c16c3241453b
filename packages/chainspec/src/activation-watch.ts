import type { Fork, ForkSchedule } from './rules.ts'

/** Log message of the consensus and the execution client. */
export const FORK_ACTIVATES = 'a fork activates'

export interface ActivationWatch {
  /** Takes a new head. The first head is only the starting point. */
  head(timestampSec: number): readonly Fork[]
}

/** `head` returns the forks whose first block is the head. After a reorg across an activation, they are not returned again. */
export function createActivationWatch(forks: Pick<ForkSchedule, 'lineage' | 'activationTimeSec'>): ActivationWatch {
  let latestSec: number | null = null
  return {
    head(timestampSec) {
      const before = latestSec
      latestSec = Math.max(before ?? timestampSec, timestampSec)
      if (before === null || timestampSec <= before) return []
      return forks.lineage.filter((fork) => {
        const atSec = forks.activationTimeSec(fork)
        return atSec !== null && atSec > before && atSec <= timestampSec
      })
    },
  }
}
