import assert from 'node:assert/strict'
import { type Hash, rlpDecode, rlpEncode, rlpEncodeList, toHash } from '@keelson/primitives'
import { createManualClock } from '@keelson/runtime'
import { decodeIdentified } from '../requests/identified.ts'
import { createServeTime } from '../requests/serve-time.ts'
import { collectReceipts } from './collect-receipts.ts'
import { downloadReceipts, MAX_RECEIPTS_BYTES } from './download-receipts.ts'
import type { EthVersion } from './eth-messages.ts'
import { decodeReceiptsPage, decodeReceiptsQuery, encodeReceiptsPage, type ReceiptsPage, receiptsQueryToRlp } from './receipts-messages.ts'

const MIB = 1024 * 1024
const HASHES = [1, 2, 3].map((byte) => toHash(new Uint8Array(32).fill(byte)))

/** As eth/69 and 70 send it: [type, status, gas, [[address, topics, data]]]. */
function receipt(gas: number, dataBytes: number): Uint8Array {
  return rlpEncode([2, 1, gas, dataBytes === 0 ? [] : [[new Uint8Array(20), [], new Uint8Array(dataBytes)]]])
}
const block = (count: number, dataBytes: number) => Array.from({ length: count }, (_, i) => receipt(i + 1, dataBytes))

/** Asks for `blocks` over messages of `version`. */
function download(version: EthVersion, blocks: readonly (readonly Uint8Array[])[], requests: number[] = []) {
  return downloadReceipts(version, HASHES.slice(0, blocks.length), async (query) => {
    const sent = decodeReceiptsQuery(version, decodeIdentified(rlpEncode([7, ...receiptsQueryToRlp(version, query)])).fields)
    requests.push(sent.firstIndex)
    const wanted = sent.hashes.map((hash, i) => (blocks[HASHES.indexOf(hash)] ?? []).slice(i === 0 ? sent.firstIndex : 0))
    const payload = encodeReceiptsPage(version, 7n, await collectReceipts(wanted, version === 70, createServeTime(createManualClock(0))))
    assert.ok(payload.length <= 10 * MIB, `a message of ${payload.length} bytes`)
    return decodeReceiptsPage(version, decodeIdentified(payload).fields, sent.hashes.length)
  })
}

const gasOf = (list: Uint8Array) =>
  (rlpDecode(list) as Uint8Array[]).map((item) => {
    const [, gas] = rlpDecode(item.subarray(1)) as Uint8Array[]
    return Buffer.from(gas as Uint8Array).readUIntBE(0, (gas as Uint8Array).length)
  })
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

/** The last one repeats. */
function pages(...given: readonly [readonly Uint8Array[][], boolean][]) {
  let at = 0
  return async (): Promise<ReceiptsPage> => {
    const [lists, lastIncomplete] = given[Math.min(at++, given.length - 1)] as [Uint8Array[][], boolean]
    return { lists: lists.map((items) => rlpEncodeList(items)), lastIncomplete }
  }
}
const ask = (hashes: readonly Hash[], ...given: readonly [readonly Uint8Array[][], boolean][]) =>
  downloadReceipts(70, hashes, pages(...given))

describe('receipts of a block that exceed a message', () => {
  it('arrive whole over eth/70, with the blocks around', async () => {
    const requests: number[] = []
    const lists = await download(70, [block(2, 100), block(19, MIB), block(3, 100)], requests)
    assert.deepEqual(lists.map(gasOf), [upTo(2), upTo(19), upTo(3)])
    assert.deepEqual(requests, [0, 9, 18])
  })

  it('end the response before the block over eth/69', async () => {
    assert.deepEqual((await download(69, [block(2, 100), block(25, MIB), block(3, 100)])).map(gasOf), [upTo(2)])
    assert.deepEqual(await download(69, [block(25, MIB)]), [])
  })

  it('end the response when a receipt alone exceeds it', async () => {
    assert.deepEqual((await download(70, [block(2, 100), block(1, 11 * MIB)])).map(gasOf), [upTo(2)])
  })

  it('are dropped when their rest does not come', async () => {
    const lists = await ask(HASHES, [[block(1, 0), block(2, 0)], true], [[], false])
    assert.deepEqual(lists.map(gasOf), [upTo(1)])
  })

  it('cannot be announced for ever by a peer that sends none', async () => {
    await assert.rejects(ask(HASHES, [[], true]), { code: 'codec/receipt' })
    await assert.rejects(ask(HASHES, [[[]], true]), { code: 'codec/receipt' })
    await assert.rejects(ask(HASHES, [[block(1, 0)], true], [[[]], true]), { code: 'codec/receipt' })
  })

  it('cannot come one by one without end', async () => {
    await assert.rejects(ask(HASHES, [[block(1, 0)], true]), { code: 'codec/receipt', message: /64 responses/ })
  })

  it('cannot grow without end', async () => {
    await assert.rejects(ask(HASHES, [[block(5, 2 * MIB)], true]), { code: 'codec/receipt', message: new RegExp(`${MAX_RECEIPTS_BYTES}`) })
    await assert.rejects(ask(HASHES, [[block(65_537, 0)], false]), { code: 'codec/rlp' })
  })

  it('leave off the blocks that the limit does not allow', async () => {
    const lists = await ask(HASHES, [[block(1, 0), block(5, 2 * MIB)], true], [[block(5, 2 * MIB)], true])
    assert.deepEqual(lists.map(gasOf), [upTo(1)])
  })
})

describe('messages about receipts', () => {
  it('have the fields of EIP-7975 in eth/70', () => {
    const hash = new Uint8Array(32).fill(1)
    const query = { hashes: [toHash(hash)], firstIndex: 300 }
    assert.deepEqual(receiptsQueryToRlp(70, query), [300, [hash]])
    assert.deepEqual(receiptsQueryToRlp(69, { ...query, firstIndex: 0 }), [[hash]])
    assert.deepEqual(encodeReceiptsPage(70, 5n, { lists: [rlpEncode([])], lastIncomplete: true }), rlpEncode([5, 1, [[]]]))
    assert.deepEqual(encodeReceiptsPage(70, 5n, { lists: [], lastIncomplete: false }), rlpEncode([5, 0, []]))
    assert.deepEqual(encodeReceiptsPage(69, 5n, { lists: [], lastIncomplete: false }), rlpEncode([5, []]))
  })

  it('are refused without a field, with another flag, and with more lists than hashes', () => {
    const fields = (...items: Parameters<typeof rlpEncode>[0][]) => decodeIdentified(rlpEncode([1, ...items])).fields
    assert.throws(() => decodeReceiptsQuery(70, fields([])), { code: 'codec/rlp' })
    assert.throws(() => decodeReceiptsQuery(70, fields([], [])), { code: 'codec/rlp' })
    assert.throws(() => decodeReceiptsPage(70, fields([]), 1), { code: 'codec/rlp' })
    assert.throws(() => decodeReceiptsPage(70, fields(2, []), 1), { code: 'codec/rlp' })
    assert.throws(() => decodeReceiptsPage(70, fields(0, [[], []]), 1), { code: 'codec/rlp' })
  })
})
