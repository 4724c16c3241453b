import type { TokenBucketOptions } from '@keelson/runtime'

export interface SessionLimits {
  /** For handshake and hello together. */
  readonly openMs: number
  /** A session that received nothing for this long ends. */
  readonly readIdleMs: number
  /** A ping is sent when nothing was received for this long. */
  readonly pingAfterMs: number
  /** A session whose written bytes are not taken for this long ends. */
  readonly writeStallMs: number
  /** How long a disconnect message may take to be sent. */
  readonly farewellMs: number
  /** Bytes that wait to be written; a session with more ends. */
  readonly maxWaitingBytes: number
  /** Bytes of received messages, compressed or not, whichever is more; reading pauses beyond. */
  readonly readBytes: TokenBucketOptions
  /** Bytes that a message costs beside its own: verifying a frame takes as long as reading so many. */
  readonly messageCostBytes: number
  /** A peer that sends more pings breaks the protocol. */
  readonly pings: TokenBucketOptions
}

export const DEFAULT_SESSION_LIMITS: SessionLimits = {
  openMs: 5_000,
  readIdleMs: 30_000,
  pingAfterMs: 15_000,
  writeStallMs: 20_000,
  farewellMs: 2_000,
  maxWaitingBytes: 32 * 1024 * 1024,
  readBytes: { perSec: 32 * 1024 * 1024, burst: 32 * 1024 * 1024 },
  messageCostBytes: 8_192,
  pings: { perSec: 1, burst: 16 },
}

/** Bytes that all sessions together may read, which keeps the thread busy for about a third of the time. Sessions take turns. */
export const ALL_READ_BYTES: TokenBucketOptions = { perSec: 96 * 1024 * 1024, burst: 96 * 1024 * 1024 }
