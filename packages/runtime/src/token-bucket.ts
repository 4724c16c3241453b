import type { Clock } from '@keelson/primitives'

export interface TokenBucketOptions {
  readonly perSec: number
  readonly burst: number
}

export interface TokenBucket {
  tryTake(tokens?: number): boolean
  putBack(tokens?: number): void
  /** Callers wait in order. More than `burst` tokens require a full bucket. */
  take(tokens: number, signal?: AbortSignal): Promise<void>
}

export function createTokenBucket(options: TokenBucketOptions, clock: Clock): TokenBucket {
  let tokens = options.burst
  let sinceMs = clock.nowMs()
  let turn: Promise<void> = Promise.resolve()
  const refill = () => {
    const nowMs = clock.nowMs()
    tokens = Math.min(options.burst, tokens + (Math.max(0, nowMs - sinceMs) / 1000) * options.perSec)
    sinceMs = nowMs
  }
  const tryTake = (wanted = 1) => {
    refill()
    const needed = Math.min(wanted, options.burst)
    if (tokens + 1e-9 < needed) return false
    tokens -= wanted
    return true
  }
  const wait = async (wanted: number, signal: AbortSignal | undefined) => {
    while (!tryTake(wanted)) {
      const missing = Math.min(wanted, options.burst) - tokens
      await clock.sleep(Math.ceil((missing / options.perSec) * 1000), signal)
    }
  }
  return {
    tryTake,
    putBack(returned = 1) {
      refill()
      tokens = Math.min(options.burst, tokens + returned)
    },
    take(wanted, signal) {
      const mine = turn.then(() => wait(wanted, signal))
      turn = mine.catch(() => undefined)
      return mine
    },
  }
}
