/** A list is not expanded in memory: a few kilobytes of a channel can declare a hundred million transactions. */
import { CodecError, rlpDecodeFirst, rlpEndOfFirst } from '@keelson/primitives'
import type { Scan } from '../bytes/scan.ts'

/** A long list is decoded from its bytes on each iteration. */
export interface BatchTransactions extends Iterable<Uint8Array> {
  readonly length: number
  /** Distinct first bytes in order, `undefined` for an empty transaction. */
  readonly leadingBytes?: Iterable<number | undefined>
}

export function leadingBytesOf(transactions: BatchTransactions): Iterable<number | undefined> {
  return transactions.leadingBytes ?? firstBytesOf(transactions)
}

function* firstBytesOf(transactions: Iterable<Uint8Array>): Generator<number | undefined> {
  for (const transaction of transactions) yield transaction[0]
}

const SCANNED_PER_STEP = 1 << 20
const MAX_ARRAY = 4_096
const FIRST_STRING = 0x80
const FIRST_LIST = 0xc0
const LONG_STRING = 0xb7
const EMPTY = 256

/** `content` excludes the list header. Throws CodecError `codec/rlp`. */
export function* scanTransactionList(content: Uint8Array): Scan<BatchTransactions> {
  const seen = new Uint8Array(EMPTY + 1)
  const leadingBytes: (number | undefined)[] = []
  let count = 0
  for (let at = 0; at < content.length; count++) {
    if (count > 0 && count % SCANNED_PER_STEP === 0) yield
    const head = content[at] as number
    const end = head < FIRST_STRING ? at + 1 : endOfString(content, at, head)
    const leading = leadingByte(content, at, head)
    if (seen[leading] === 0) {
      seen[leading] = 1
      leadingBytes.push(leading === EMPTY ? undefined : leading)
    }
    at = end
  }
  return count > MAX_ARRAY ? { length: count, leadingBytes, [Symbol.iterator]: () => itemsOf(content) } : [...itemsOf(content)]
}

function endOfString(content: Uint8Array, at: number, head: number): number {
  if (head >= FIRST_LIST) throw new CodecError('codec/rlp', 'transaction: expected RLP bytes, got a list')
  return rlpEndOfFirst(content, at)
}

function leadingByte(content: Uint8Array, at: number, head: number): number {
  if (head < FIRST_STRING) return head
  if (head === FIRST_STRING) return EMPTY
  return content[at + 1 + Math.max(0, head - LONG_STRING)] as number
}

function* itemsOf(content: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < content.length; ) {
    const { item, end } = rlpDecodeFirst(content, at)
    yield item as Uint8Array
    at = end
  }
}
