import type { ByteStream } from './byte-stream.ts'

export interface StreamAddress {
  readonly host: string
  readonly port: number
}

const [FIRST, SECOND]: readonly StreamAddress[] = [
  { host: '127.0.0.1', port: 1 },
  { host: '127.0.0.2', port: 2 },
]

/** Two ends of a connection in memory; each is named after the other side. */
export function streamPair(first = FIRST as StreamAddress, second = SECOND as StreamAddress): readonly [MemoryStream, MemoryStream] {
  const a = new MemoryStream(first.host, first.port)
  const b = new MemoryStream(second.host, second.port)
  a.other = b
  b.other = a
  return [a, b]
}

export class MemoryStream implements ByteStream {
  other: MemoryStream | null = null
  /** While true, writes are not taken. */
  stalled = false
  written = 0
  isDestroyed = false
  readonly #received: Uint8Array[] = []
  #ended = false
  #wake: () => void = () => undefined

  constructor(
    readonly host: string,
    readonly port: number,
  ) {}

  async write(data: Uint8Array): Promise<void> {
    if (this.#ended) throw Object.assign(new Error('the stream is closed'), { code: 'EPIPE' })
    this.written += data.length
    if (this.stalled) return new Promise(() => undefined)
    this.other?.deliver(data)
  }

  deliver(data: Uint8Array): void {
    this.#received.push(Uint8Array.from(data))
    this.#wake()
  }

  end(): void {
    this.other?.finish()
  }

  destroy(): void {
    this.isDestroyed = true
    this.finish()
    this.other?.finish()
  }

  finish(): void {
    this.#ended = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    for (;;) {
      const next = this.#received.shift()
      if (next !== undefined) yield next
      else if (this.#ended) return
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }
}
