import type { L1ChainConfig } from './l1-chain.ts'
import { durationText, utcText } from './time-text.ts'
import type { UnsupportedFork } from './unsupported-fork.ts'

/** Returns one sentence for the log at start, or null when every scheduled L1 fork is implemented. */
export function warnOfUnsupportedL1Fork({ firstUnsupportedFork: fork }: L1ChainConfig, nowSec: number): string | null {
  if (fork === null) return null
  const when = `at ${fork.timeSec} (${utcText(fork.timeSec)})`
  return nowSec < fork.timeSec
    ? `fork ${fork.name} of L1 activates ${when}, in ${durationText(fork.timeSec - nowSec)}, and this release does not implement it: ` +
        `it reads and sends nothing on L1 from then on; install a release that implements ${fork.name} before then`
    : `fork ${fork.name} of L1 activated ${when}, and this release does not implement it: it reads no later block of L1 and sends ` +
        `nothing there; install a release that implements ${fork.name}`
}

/** Returns the parts for logs and `/readyz`. `lastBlock` is the last one before the fork, if known. */
export function stoppedAtUnsupportedL1Fork(fork: UnsupportedFork, lastBlock: number | null) {
  const last = lastBlock === null ? '' : `, and L1 block ${lastBlock} is the last one it can read`
  return {
    what: `stopped before fork ${fork.name} of L1`,
    why: `it activated at ${fork.timeSec} (${utcText(fork.timeSec)}), this release does not implement it${last}`,
    remedy: `install a release that implements ${fork.name} and start it with the same data`,
  }
}
