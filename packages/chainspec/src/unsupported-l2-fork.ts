/** Where an L2 chain leaves what this release implements, and what an operator reads about it. */
import type { RollupConfig } from './rollup-config.ts'
import { durationText, utcText } from './time-text.ts'
import type { UnsupportedFork } from './unsupported-fork.ts'

export type L2ForkLimit = Pick<RollupConfig, 'firstUnsupportedFork' | 'blockTimeSec'> & {
  readonly genesis: { readonly l2: { readonly number: number }; readonly l2TimestampSec: number }
}

/** Number of the last block before `fork`: blocks are `blockTimeSec` apart from genesis on. */
export function lastBlockBefore(fork: UnsupportedFork, { genesis, blockTimeSec }: L2ForkLimit): number {
  return genesis.l2.number + Math.ceil((fork.timeSec - genesis.l2TimestampSec) / blockTimeSec) - 1
}

/** One sentence for the log at a role's start; null when this release implements every scheduled fork. */
export function warnOfUnsupportedFork(limit: L2ForkLimit, nowSec: number): string | null {
  const fork = limit.firstUnsupportedFork
  if (fork === null) return null
  const last = lastBlockBefore(fork, limit)
  const when = `at ${fork.timeSec} (${utcText(fork.timeSec)})`
  return nowSec < fork.timeSec
    ? `fork ${fork.name} activates ${when}, in ${durationText(fork.timeSec - nowSec)}, and this release does not implement it: ` +
        `block ${last} is the last one it can follow; install a release that implements ${fork.name} before then`
    : `fork ${fork.name} activated ${when}, and this release does not implement it: block ${last} is the last one it can follow; ` +
        `install a release that implements ${fork.name}`
}

/** Why the node goes no further, in parts as logs and `/readyz` show them. */
export function stoppedAtUnsupportedFork(fork: UnsupportedFork, limit: L2ForkLimit) {
  return {
    what: `stopped before fork ${fork.name}`,
    why: `it activates at ${fork.timeSec} (${utcText(fork.timeSec)}), this release does not implement it, and block ${lastBlockBefore(fork, limit)} is the last one it can follow`,
    remedy: `install a release that implements ${fork.name} and start it with the same data`,
  }
}
