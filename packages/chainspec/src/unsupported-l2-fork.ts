import type { RollupConfig } from './rollup-config.ts'
import { durationText, utcText } from './time-text.ts'
import { reachesUnsupportedFork, type UnsupportedFork } from './unsupported-fork.ts'

export interface ForkLimitConfig extends Pick<RollupConfig, 'firstUnsupportedFork' | 'blockTimeSec'> {
  readonly genesis: { readonly l2: { readonly number: number }; readonly l2TimestampSec: number }
}

export interface ForkLimit {
  readonly fork: UnsupportedFork
  readonly lastBlock: number
  refuses(timestampSec: number): boolean
  /** True if this is the last block that can be followed. */
  isLast(timestampSec: number): boolean
  /** Parts for logs and `/readyz`. */
  readonly stop: { readonly what: string; readonly why: string; readonly remedy: string }
  readonly sentence: string
}

/** Returns null when every scheduled fork is implemented. */
export function forkLimitOf({ firstUnsupportedFork: fork, genesis, blockTimeSec }: ForkLimitConfig): ForkLimit | null {
  if (fork === null) return null
  const lastBlock = genesis.l2.number + Math.ceil((fork.timeSec - genesis.l2TimestampSec) / blockTimeSec) - 1
  const what = `stopped before fork ${fork.name}`
  const why = `it activates at ${whenOf(fork)}, ${lackOf(fork)}, and block ${lastBlock} is the last one it can follow`
  const remedy = `${remedyFor(fork)} and start it with the same data`
  return {
    fork,
    lastBlock,
    refuses: (timestampSec) => reachesUnsupportedFork(fork, timestampSec),
    isLast: (timestampSec) => reachesUnsupportedFork(fork, timestampSec + blockTimeSec),
    stop: { what, why, remedy },
    sentence: `${what}: ${why}; ${remedy}`,
  }
}

/** Returns one sentence for the log at start, or null. */
export function warnOfUnsupportedFork(config: ForkLimitConfig, nowSec: number): string | null {
  const limit = forkLimitOf(config)
  if (limit === null) return null
  const { name, timeSec } = limit.fork
  const last = `block ${limit.lastBlock} is the last one it can follow`
  return nowSec < timeSec
    ? `fork ${name} activates at ${whenOf(limit.fork)}, in ${durationText(timeSec - nowSec)}, and ${lackOf(limit.fork)}: ` +
        `${last}; ${remedyFor(limit.fork)} before then`
    : `fork ${name} activated at ${whenOf(limit.fork)}, and ${lackOf(limit.fork)}: ${last}; ${remedyFor(limit.fork)}`
}

function lackOf({ unconfirmedBundle }: UnsupportedFork): string {
  return unconfirmedBundle === undefined
    ? 'this release does not implement it'
    : `this release does not know its final upgrade transactions (${unconfirmedBundle})`
}

function remedyFor({ name, unconfirmedBundle }: UnsupportedFork): string {
  return unconfirmedBundle === undefined
    ? `install a release that implements ${name}`
    : `install a release that has them, or put ${name}_nut_bundle.json of the network's op-node release into the folder of the network as upgrade-${name}.json`
}

function whenOf({ timeSec }: UnsupportedFork): string {
  return `${timeSec} (${utcText(timeSec)})`
}
