import type { TokenBucket } from '@keelson/runtime'

export type Chunk = Uint8Array | ByteList

interface ByteList {
  readonly byteLength: number
  subarray(start?: number, end?: number): Uint8Array
}

/** Negotiation answers every message, even of a few bytes, and yields only after a whole piece, so pieces are small. */
const PIECE_BYTES = 64

/** Throws when `maxBytes` are read before `isDone` returns true. */
export async function* limitUntil<T extends Chunk>(
  source: AsyncIterable<T>,
  isDone: () => boolean,
  maxBytes: number,
): AsyncGenerator<T | Uint8Array> {
  let given = 0
  for await (const chunk of source) {
    if (isDone()) {
      yield chunk
      continue
    }
    const bytes = chunk.subarray()
    for (let at = 0; at < bytes.length; ) {
      const end = isDone() ? bytes.length : Math.min(at + PIECE_BYTES, bytes.length)
      if (!isDone() && given >= maxBytes) throw new Error(`no protocol is agreed on after ${maxBytes} bytes`)
      given += end - at
      yield bytes.subarray(at, end)
      at = end
    }
  }
}

/** Charges each piece to the bucket by its bytes. */
export async function* paced(source: AsyncIterable<Chunk>, pieceBytes: number, bucket: TokenBucket): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    const bytes = chunk.subarray()
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = bytes.subarray(at, at + pieceBytes)
      await bucket.take(piece.length)
      yield piece
    }
  }
}
