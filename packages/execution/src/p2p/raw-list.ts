import { CodecError, rlpEndOfFirst, rlpListContent } from '@keelson/primitives'

/** The items of an RLP list, not decoded. Throws CodecError `codec/rlp`, also for more than `maxItems`. */
export function rawItems(list: Uint8Array, maxItems: number, what: string): Uint8Array[] {
  const content = rlpListContent(list, what)
  const items: Uint8Array[] = []
  for (let at = 0; at < content.length; ) {
    if (items.length === maxItems) throw new CodecError('codec/rlp', `${what}: more than ${maxItems} items`)
    const end = rlpEndOfFirst(content, at)
    items.push(content.subarray(at, end))
    at = end
  }
  return items
}
