/** Limits processor time to an average share of one processor. */
export interface ProcessorShareOptions {
  /** In processors, for example 0.5. */
  readonly share: number
  readonly burstMs: number
}

export class ProcessorShare {
  readonly #options: ProcessorShareOptions
  readonly #monotonicMs: () => number
  #leftMs: number
  #sinceMs: number

  constructor(options: ProcessorShareOptions, monotonicMs: () => number) {
    this.#options = options
    this.#monotonicMs = monotonicMs
    this.#leftMs = options.burstMs
    this.#sinceMs = monotonicMs()
  }

  get isLeft(): boolean {
    const nowMs = this.#monotonicMs()
    const { share, burstMs } = this.#options
    this.#leftMs = Math.min(burstMs, this.#leftMs + (nowMs - this.#sinceMs) * share)
    this.#sinceMs = nowMs
    return this.#leftMs > 0
  }

  spend(ms: number): void {
    this.#leftMs -= ms
  }
}
