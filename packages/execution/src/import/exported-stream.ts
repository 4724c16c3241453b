/** Splits a file of geth's `export`, holding at most one block and one chunk in memory. */
import { CodecError, concatBytes } from '@keelson/primitives'

const MAX_BLOCK_BYTES = 128 * 1024 * 1024
const MAX_HEAD_BYTES = 9

/** Throws CodecError `codec/rlp`. */
export async function* cutExportedBlocks(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let parts: Uint8Array[] = []
  let held = 0
  let needed = 1
  let consumed = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    held += chunk.length
    if (held < needed) continue
    let rest = parts.length === 1 ? chunk : concatBytes(...parts)
    for (;;) {
      const length = itemBytes(rest, consumed)
      needed = length ?? rest.length + 1
      if (length === null || length > rest.length) break
      // A copy, so that the block does not retain the chunk.
      yield rest.slice(0, length)
      consumed += length
      rest = rest.subarray(length)
    }
    parts = rest.length === 0 ? [] : [rest]
    held = rest.length
  }
  if (held > 0) throw new CodecError('codec/rlp', `the file ends within a block that begins at byte ${consumed}`)
}

function itemBytes(bytes: Uint8Array, at: number): number | null {
  const first = bytes[0]
  if (first === undefined) return null
  if (first < 0xc0) throw new CodecError('codec/rlp', `byte ${at} of the file begins no RLP list, so no block`)
  if (first <= 0xf7) return 1 + first - 0xc0
  const lengthBytes = first - 0xf7
  if (bytes.length < Math.min(1 + lengthBytes, MAX_HEAD_BYTES)) return null
  let length = 0
  for (let i = 1; i <= lengthBytes; i++) length = length * 256 + (bytes[i] as number)
  if (length > MAX_BLOCK_BYTES) throw new CodecError('codec/rlp', `the block at byte ${at} claims ${length} bytes; no block is that large`)
  return 1 + lengthBytes + length
}
