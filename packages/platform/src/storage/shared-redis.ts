/** While Redis is unavailable, calls use the caller's fallback. */
import type { Logger } from '@keelson/primitives'
import { Redis } from 'ioredis'

const COMMAND_TIMEOUT_MS = 500

export class SharedRedis {
  readonly #redis: Redis
  readonly #log: Logger
  readonly #consequence: string
  #isAway = false

  constructor(url: string, log: Logger, consequence: string) {
    this.#log = log
    this.#consequence = consequence
    this.#redis = new Redis(url, { maxRetriesPerRequest: 0, commandTimeout: COMMAND_TIMEOUT_MS, enableOfflineQueue: false })
    // without a listener a lost connection ends the process
    this.#redis.on('error', (error) => this.#lose(error))
  }

  async ask<T>(command: (redis: Redis) => Promise<T>, fallback: () => T | Promise<T>): Promise<T> {
    try {
      const answer = await command(this.#redis)
      if (this.#isAway) this.#log.info('Redis is available again')
      this.#isAway = false
      return answer
    } catch (error) {
      this.#lose(error)
      return fallback()
    }
  }

  async close(): Promise<void> {
    this.#redis.disconnect()
  }

  #lose(error: unknown): void {
    // the message may contain the address with a password
    const reason = (error as { code?: string }).code ?? (error instanceof Error ? error.name : 'unknown')
    if (!this.#isAway) this.#log.warn(`Redis is unavailable: ${this.#consequence}`, { error: reason })
    this.#isAway = true
  }
}
