import assert from 'node:assert/strict'
import { concatBytes, rlpEncode } from '@keelson/primitives'
import { rlpSmall, rlpString } from './bounded-rlp.ts'
import { decodeHeadersQuery } from './eth/eth-messages.ts'
import { receiptFromPeer } from './eth/receipt-forms.ts'
import { decodeBlockRange, decodeStatus } from './eth/status.ts'
import { decodeTransactions } from './eth/tx-messages.ts'
import { decodeIdentified } from './requests/identified.ts'
import { decodeDisconnect } from './rlpx/disconnect-message.ts'
import { decodeHello } from './rlpx/hello.ts'
import { decodeRequest } from './snap/requests.ts'
import { decodeResponse } from './snap/responses.ts'

/** Takes a hundred times its size once it is decoded. */
function manyItems(count: number): Uint8Array {
  const size = Uint8Array.of(count >>> 16, count >>> 8, count)
  return concatBytes(Uint8Array.of(0xfa), size, new Uint8Array(count).fill(1))
}

function listOf(...items: readonly Uint8Array[]): Uint8Array {
  const content = concatBytes(...items)
  const size = Uint8Array.of(content.length >>> 16, content.length >>> 8, content.length)
  return concatBytes(Uint8Array.of(0xfa), size, content)
}

describe('RLP of peers', () => {
  it('is decoded when it is small, and strings of any size', () => {
    assert.deepEqual(rlpSmall(rlpEncode([1, 2]), 3, 'pair'), [Uint8Array.of(1), Uint8Array.of(2)])
    assert.deepEqual(rlpString(rlpEncode(new Uint8Array(70_000))), new Uint8Array(70_000))
    assert.throws(() => rlpSmall(rlpEncode([1, 2]), 2, 'pair'), { code: 'codec/rlp', message: /pair of 3 bytes; expected at most 2/ })
    assert.throws(() => rlpString(rlpEncode([])), { code: 'codec/rlp', message: /got a list/ })
  })

  it('costs no more than its length when a field is a list of a million items', () => {
    const bomb = manyItems(1_000_000)
    const before = process.memoryUsage().arrayBuffers
    const hostile: readonly (() => unknown)[] = [
      () => decodeIdentified(listOf(bomb, rlpEncode([]))),
      () => decodeHeadersQuery(bomb),
      () => decodeStatus(68, bomb),
      () => decodeHello(bomb),
      () => decodeBlockRange(bomb),
      () => receiptFromPeer(69, listOf(bomb, rlpEncode(1), rlpEncode(1), rlpEncode([]))),
      () => receiptFromPeer(69, listOf(rlpEncode(2), rlpEncode(1), rlpEncode(1), listOf(bomb))),
      () => receiptFromPeer(69, listOf(rlpEncode(2), rlpEncode(1), rlpEncode(1), listOf(listOf(rlpEncode(new Uint8Array(20)), bomb)))),
      () => decodeRequest(0x00, listOf(bomb, bomb, bomb, bomb, bomb)),
      () => decodeRequest(0x06, listOf(rlpEncode(1), rlpEncode(new Uint8Array(32)), listOf(listOf(bomb)), rlpEncode(1))),
      () => decodeResponse(0x05, [listOf(bomb)]),
    ]
    for (const decode of hostile) assert.throws(decode, { code: /^(codec\/rlp|p2p\/hello)$/ }, String(decode))
    assert.equal(decodeDisconnect(bomb), 'requested')
    assert.deepEqual(decodeTransactions(listOf(bomb)), [bomb], 'not decoded before its size is judged')
    assert.ok(process.memoryUsage().arrayBuffers - before < 64_000_000)
  })
})
