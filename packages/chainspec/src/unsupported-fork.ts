/**
 * A fork that a network's files schedule and this release does not implement. The node follows the chain up to the fork,
 * says from its start when that is, and stops there: with the wrong rules it would follow another chain.
 */
export interface UnsupportedFork {
  readonly name: string
  /** Unix seconds; the first block at or after this time is the first one that cannot be followed. */
  readonly timeSec: number
}
