import type { Clock, Logger } from '@keelson/primitives'

const SLOW_SEC = 5

export class Upstream {
  readonly #name: string
  readonly #clock: Clock
  readonly #unansweredMs: () => number
  #failedSinceMs: number | null = null
  #reason = ''
  #reported = false

  constructor(name: string, clock: Clock, unansweredMs: () => number = () => 0) {
    this.#name = name
    this.#clock = clock
    this.#unansweredMs = unansweredMs
  }

  get silentMs(): number {
    return Math.max(this.#failedSinceMs === null ? 0 : this.#clock.nowMs() - this.#failedSinceMs, this.#unansweredMs())
  }

  get trouble(): string | null {
    if (this.#failedSinceMs !== null) {
      return `${this.#name} is unavailable since ${new Date(this.#failedSinceMs).toISOString().slice(0, 19)}Z`
    }
    const seconds = Math.floor(this.#unansweredMs() / 1000)
    return seconds < SLOW_SEC ? null : `${this.#name} has not responded for ${seconds} s`
  }

  async ask(query: () => Promise<void>): Promise<boolean> {
    try {
      await query()
      this.answered()
      return true
    } catch (error) {
      if (!isUpstreamError(error)) throw error
      this.#failedSinceMs ??= this.#clock.nowMs()
      this.#reason = error.message
      return false
    }
  }

  answered(): void {
    this.#failedSinceMs = null
  }

  report(log: Logger): void {
    const failing = this.#failedSinceMs !== null
    if (failing && !this.#reported) {
      log.warn(`${this.#name} is unavailable`, {
        reason: this.#reason,
        remedy: 'check its URL and that it runs; work resumes automatically',
      })
    }
    if (!failing && this.#reported) log.info(`${this.#name} is available again`)
    this.#reported = failing
  }
}

function isUpstreamError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('client/')
}
