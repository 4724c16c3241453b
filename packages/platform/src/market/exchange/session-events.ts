/** Events of one session. A reader that falls behind loses events, and receives the number of lost ones. */
import type { MarketData } from '../../schemas/exchange.ts'

export type MarketEventBody =
  | { readonly event: 'data'; readonly stream: string; readonly data: MarketData }
  | { readonly event: 'status'; readonly state: 'down' | 'up'; readonly why: string }
  /** Null when the number of lost events is unknown. */
  | { readonly event: 'gap'; readonly lost: number | null }
export type MarketEvent = { readonly id: string } & MarketEventBody

const ID = /^([0-9a-f]{8})-(\d{1,15})$/

export class SessionEvents {
  readonly #run: string
  readonly #max: number
  readonly #kept: MarketEventBody[] = []
  readonly #readers = new Set<() => void>()
  #next = 1
  #ended = false

  /** A reader cannot resume after an event of another `run`. */
  constructor(run: string, max: number) {
    this.#run = run
    this.#max = max
  }

  get readers(): number {
    return this.#readers.size
  }

  get ended(): boolean {
    return this.#ended
  }

  push(body: MarketEventBody): void {
    this.#next++
    if (this.#kept.push(body) > this.#max) this.#kept.shift()
    this.#wake()
  }

  end(): void {
    this.#ended = true
    this.#wake()
  }

  async *follow(lastEventId: string | undefined, signal: AbortSignal): AsyncGenerator<MarketEvent, void> {
    let wake: () => void = () => undefined
    const reader = () => wake()
    this.#readers.add(reader)
    signal.addEventListener('abort', reader, { once: true })
    try {
      const resumed = lastEventId === undefined ? this.#next : this.#placeAfter(lastEventId)
      let at = resumed ?? this.#oldest
      if (resumed === null) yield this.#event(at - 1, { event: 'gap', lost: null })
      while (!signal.aborted && !this.#ended) {
        const lost = this.#oldest - at
        const body = this.#kept[-lost]
        if (lost > 0) {
          at += lost
          yield this.#event(at - 1, { event: 'gap', lost })
        } else if (body !== undefined) yield this.#event(at++, body)
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    } finally {
      this.#readers.delete(reader)
      signal.removeEventListener('abort', reader)
    }
  }

  get #oldest(): number {
    return this.#next - this.#kept.length
  }

  #event(sequence: number, body: MarketEventBody): MarketEvent {
    return { id: `${this.#run}-${sequence}`, ...body }
  }

  #placeAfter(id: string): number | null {
    const [, run, digits] = ID.exec(id) ?? []
    const place = Number(digits) + 1
    return run === this.#run && place <= this.#next ? place : null
  }

  #wake(): void {
    for (const reader of this.#readers) reader()
  }
}
