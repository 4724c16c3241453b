/** A network in memory: nodes listen at names, and dial names. */
import type { ByteStream, PeerTransport } from '@keelson/execution'

export interface MemoryNetwork {
  transport(host: string): PeerTransport
}

export function createMemoryNetwork(): MemoryNetwork {
  const listeners = new Map<string, (stream: ByteStream) => void>()
  return {
    transport: (host) => ({
      async dial(remoteHost, port) {
        const accept = listeners.get(`${remoteHost}:${port}`)
        if (accept === undefined) throw new Error(`nobody listens at ${remoteHost}:${port}`)
        const [ours, theirs] = [new MemoryPipe(remoteHost, port), new MemoryPipe(host, 50_000)]
        ours.other = theirs
        theirs.other = ours
        accept(theirs)
        return ours
      },
      async listen(onStream) {
        listeners.set(`${host}:30303`, onStream)
        return { host, port: 30_303, close: async () => void listeners.delete(`${host}:30303`) }
      },
    }),
  }
}

class MemoryPipe implements ByteStream {
  other: MemoryPipe | null = null
  readonly #received: Uint8Array[] = []
  #ended = false
  #wake: () => void = () => undefined

  constructor(
    readonly host: string,
    readonly port: number,
  ) {}

  async write(data: Uint8Array): Promise<void> {
    if (this.#ended) throw Object.assign(new Error('the connection was closed'), { code: 'EPIPE' })
    this.other?.deliver(Uint8Array.from(data))
  }

  deliver(data: Uint8Array): void {
    this.#received.push(data)
    this.#wake()
  }

  end(): void {
    this.other?.finish()
  }

  destroy(): void {
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
