/**
 * A fork that a network's files schedule and this release does not implement. The node follows the chain up to the fork,
 * says from its start when that is, and stops there: with the wrong rules it would follow another chain.
 */
export interface UnsupportedFork {
  readonly name: string
  /** Unix seconds; the first block at or after this time is the first one that cannot be followed. */
  readonly timeSec: number
}

/** Is the fork in force in a block with this time? False without a fork. */
export function reachesUnsupportedFork(fork: UnsupportedFork | null, timestampSec: number): fork is UnsupportedFork {
  return fork !== null && timestampSec >= fork.timeSec
}

/** The first of them to activate; null when there is none. */
export function earliestFork<T extends UnsupportedFork>(forks: readonly T[]): T | null {
  return forks.reduce<T | null>((first, fork) => (first === null || fork.timeSec < first.timeSec ? fork : first), null)
}
