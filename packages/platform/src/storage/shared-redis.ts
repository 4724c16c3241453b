/** While Redis is unavailable, calls use the caller's fallback. */
import type { Clock, Logger } from '@keelson/primitives'
import { Redis } from 'ioredis'

const COMMAND_TIMEOUT_MS = 500
/** How long a Redis that hangs is not asked, so that not every request waits for it. */
const HUNG_MS = 1_000
const TIMED_OUT = 'Command timed out'
/** How long no command may have failed before Redis counts as available again. */
const QUIET_MS = 5_000

export interface SharedRedisDependencies {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly log: Logger
}

export class SharedRedis {
  readonly #redis: Redis
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #log: Logger
  readonly #consequence: string
  #isAway = false
  #lostAtMs = Number.NEGATIVE_INFINITY
  #hungUntilMs = Number.NEGATIVE_INFINITY

  constructor(url: string, { clock, log }: SharedRedisDependencies, consequence: string) {
    this.#clock = clock
    this.#log = log
    this.#consequence = consequence
    this.#redis = new Redis(url, { maxRetriesPerRequest: 0, commandTimeout: COMMAND_TIMEOUT_MS, enableOfflineQueue: false })
    // without a listener a lost connection ends the process
    this.#redis.on('error', (error) => this.#lose(error))
  }

  async ask<T>(command: (redis: Redis) => Promise<T>, fallback: () => T | Promise<T>): Promise<T> {
    if (this.#clock.monotonicMs() < this.#hungUntilMs) return fallback()
    try {
      const answer = await command(this.#redis)
      this.#answered()
      return answer
    } catch (error) {
      if (error instanceof Error && error.message === TIMED_OUT) this.#hungUntilMs = this.#clock.monotonicMs() + HUNG_MS
      this.#lose(error)
      return fallback()
    }
  }

  async close(): Promise<void> {
    this.#redis.disconnect()
  }

  /** A Redis whose memory is full answers some commands and refuses others, which is no recovery. */
  #answered(): void {
    if (!this.#isAway || this.#clock.monotonicMs() - this.#lostAtMs < QUIET_MS) return
    this.#isAway = false
    this.#log.info('Redis is available again')
  }

  #lose(error: unknown): void {
    this.#lostAtMs = this.#clock.monotonicMs()
    const reason = reasonOf(error)
    if (!this.#isAway) this.#log.warn(`Redis is unavailable: ${this.#consequence}`, { error: reason })
    this.#isAway = true
  }
}

/** Without the message, which may contain the address with a password. A refusal of Redis begins with a word such as WRONGPASS or OOM. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const refusal = error.name === 'ReplyError' ? /^[A-Z]+\b/.exec(error.message)?.[0] : undefined
  return refusal ?? (error as { code?: string }).code ?? error.name
}
