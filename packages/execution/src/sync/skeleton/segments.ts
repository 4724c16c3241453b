/** A segment is a range of fetched headers, each the parent of the next. */
import { bytesToHex, CodecError, type Hash, hexToBytes, rlpBytes, rlpDecode, rlpEncode, rlpList, rlpNumber } from '@keelson/primitives'

export interface Segment {
  readonly head: number
  readonly headHash: Hash
  readonly tail: number
  /** Parent of the lowest header. */
  readonly tailParent: Hash
}

export function encodeSegments(segments: readonly Segment[]): Uint8Array {
  return rlpEncode(segments.map(({ head, headHash, tail, tailParent }) => [head, hexToBytes(headHash), tail, hexToBytes(tailParent)]))
}

/** Returns none for a damaged record: the headers are fetched again. */
export function decodeSegments(raw: Uint8Array): readonly Segment[] {
  try {
    return rlpList(rlpDecode(raw), 'segments').map((item) => {
      const fields = rlpList(item, 'segment')
      const hash = (i: number) => bytesToHex(rlpBytes(fields[i], 'segment hash', 32)) as Hash
      return {
        head: rlpNumber(fields[0], 'segment head'),
        headHash: hash(1),
        tail: rlpNumber(fields[2], 'segment tail'),
        tailParent: hash(3),
      }
    })
  } catch (error) {
    if (error instanceof CodecError) return []
    throw error
  }
}
