/** Models the buffered reader of op-node's channel reader. */
import type { StreamReads } from '../../ports.ts'

const BUFFER_BYTES = 4096

export class BufferedReads {
  readonly #source: StreamReads
  #buffered = 0
  #failed = false

  constructor(source: StreamReads) {
    this.#source = source
  }

  /** Returns false if an error comes before the last byte, or together with it in an unbuffered read. */
  take(bytes: number): boolean {
    for (let left = bytes; left > 0; ) {
      if (this.#buffered > 0) {
        const served = Math.min(left, this.#buffered)
        this.#buffered -= served
        left -= served
      } else if (this.#failed) {
        return false
      } else if (left >= BUFFER_BYTES) {
        const read = this.#source.read(left)
        if (read.failed) return false
        left -= read.bytes
      } else {
        const read = this.#source.read(BUFFER_BYTES)
        this.#buffered = read.bytes
        this.#failed = read.failed
      }
    }
    return true
  }
}
