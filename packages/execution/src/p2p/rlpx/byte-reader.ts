import { P2pError } from '../p2p-error.ts'

const FIRST_CAPACITY = 4_096

/** Reads exact numbers of bytes. Memory grows with what arrives, not with what was announced. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>
  #chunk: Uint8Array = new Uint8Array(0)
  #at = 0

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Throws P2pError `p2p/closed` when the source ends first. */
  async read(length: number): Promise<Uint8Array> {
    let out = new Uint8Array(Math.min(length, FIRST_CAPACITY))
    let filled = 0
    while (filled < length) {
      if (this.#at === this.#chunk.length) await this.#nextChunk()
      const taken = Math.min(length - filled, this.#chunk.length - this.#at)
      if (filled + taken > out.length) out = enlarge(out, filled, Math.min(length, Math.max(2 * out.length, filled + taken)))
      out.set(this.#chunk.subarray(this.#at, this.#at + taken), filled)
      this.#at += taken
      filled += taken
    }
    return out
  }

  async #nextChunk(): Promise<void> {
    const next = await this.#source.next()
    if (next.done === true) throw new P2pError('p2p/closed', 'the connection was closed')
    this.#chunk = next.value
    this.#at = 0
  }
}

function enlarge(bytes: Uint8Array, filled: number, capacity: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(capacity)
  larger.set(bytes.subarray(0, filled))
  return larger
}
