/**
 * A scheduled fork that this release does not implement, or of which it lacks the upgrade transactions. The node stops before it:
 * with the wrong rules it would follow a different chain.
 */
export interface UnsupportedFork {
  readonly name: string
  /** Set when only the fork's upgrade transactions are not confirmed, and why. */
  readonly unconfirmedBundle?: string
  /** Unix seconds of the first block that cannot be followed. */
  readonly timeSec: number
}

export function reachesUnsupportedFork(fork: UnsupportedFork | null, timestampSec: number): fork is UnsupportedFork {
  return fork !== null && timestampSec >= fork.timeSec
}

export function earliestFork<T extends UnsupportedFork>(forks: readonly T[]): T | null {
  return forks.reduce<T | null>((first, fork) => (first === null || fork.timeSec < first.timeSec ? fork : first), null)
}
