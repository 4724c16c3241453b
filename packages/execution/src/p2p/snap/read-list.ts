import { CodecError, rlpListContent } from '@keelson/primitives'
import { rawItems } from '../raw-list.ts'

/** The encoded items of an RLP list, which are not decoded. Throws CodecError `codec/rlp`, also for more than `max` items. */
export function readList(encoded: Uint8Array, what: string, max: number): Uint8Array[] {
  const content = rlpListContent(encoded, what)
  if (content.byteOffset + content.length !== encoded.byteOffset + encoded.length) {
    throw new CodecError('codec/rlp', `${what}: bytes after the list`)
  }
  return rawItems(encoded, max, what)
}

/** A list of exactly `count` items. */
export function readFields(encoded: Uint8Array, what: string, count: number): Uint8Array[] {
  const items = readList(encoded, what, count)
  if (items.length !== count) throw new CodecError('codec/rlp', `${what}: ${items.length} fields, expected ${count}`)
  return items
}
