/** Sources of bytes that a stranger fills: bounded while a protocol is agreed on, and slowed down. */
import type { TokenBucket } from '@keelson/runtime'

/** A piece of a stream: bytes, or libp2p's list of them. */
export type Chunk = Uint8Array | ByteList

interface ByteList {
  readonly byteLength: number
  subarray(start?: number, end?: number): Uint8Array
}

/**
 * So little is handed on at a time while a protocol is agreed on: the negotiation reads messages of a few bytes, answers each,
 * and would not let other work in before it has read a whole piece.
 */
const PIECE_BYTES = 64

/** The source, of which at most `maxBytes` are read before `isDone`. Throws beyond. */
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

/** The source in pieces, each paid for by its bytes. */
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
