import assert from 'node:assert/strict'
import { concatBytes, encodeReceipt, logsBloom, type Receipt, rlpDecode, rlpEncode, toAddress, toHash } from '@keelson/primitives'
import { receiptForPeer, receiptFromPeer } from './receipt-forms.ts'

const LOG = { address: toAddress(new Uint8Array(20).fill(1)), topics: [toHash(new Uint8Array(32).fill(2))], data: Uint8Array.of(3) }
const LOG_RLP = [new Uint8Array(20).fill(1), [new Uint8Array(32).fill(2)], Uint8Array.of(3)]
const BLOOM = logsBloom([LOG])

function receipt(type: number, deposit: Partial<Receipt> = {}): Receipt {
  const outcome = { status: 1 } as const
  return {
    type,
    outcome,
    cumulativeGasUsed: 50_000n,
    logsBloom: BLOOM,
    logs: [LOG],
    depositNonce: null,
    depositReceiptVersion: null,
    ...deposit,
  }
}
const NO_NONCE = new Uint8Array(0)
const storedNonce = (value: number) => concatBytes(new Uint8Array(7), Uint8Array.of(value))
const canyon = encodeReceipt(receipt(0x7e, { depositNonce: 9n, depositReceiptVersion: 1n }))
const regolith = encodeReceipt(receipt(0x7e))

describe('receipts on the wire', () => {
  it('sends a deposit from Canyon on as 0x7e || [status, gas, bloom, logs, nonce, version] in eth/68', () => {
    const expected = concatBytes(Uint8Array.of(0x7e), rlpEncode([1, 50_000, BLOOM, [LOG_RLP], 9, 1]))
    assert.deepEqual(rlpDecode(receiptForPeer(68, canyon, storedNonce(9))), expected)
  })

  it('sends it as [0x7e, status, gas, logs, nonce, version] in eth/69', () => {
    assert.deepEqual(receiptForPeer(69, canyon, storedNonce(9)), rlpEncode([0x7e, 1, 50_000, [LOG_RLP], 9, 1]))
  })

  it('sends the nonce of a deposit before Canyon, which the receipts root does not cover', () => {
    const expected = concatBytes(Uint8Array.of(0x7e), rlpEncode([1, 50_000, BLOOM, [LOG_RLP], 9]))
    assert.deepEqual(rlpDecode(receiptForPeer(68, regolith, storedNonce(9))), expected)
    assert.deepEqual(receiptForPeer(69, regolith, storedNonce(0)), rlpEncode([0x7e, 1, 50_000, [LOG_RLP], 0]))
    assert.deepEqual(rlpDecode(receiptForPeer(68, regolith, NO_NONCE)), regolith)
  })

  it('sends a legacy receipt as a list, with type 0 in eth/69', () => {
    const legacy = encodeReceipt(receipt(0))
    assert.deepEqual(receiptForPeer(68, legacy, NO_NONCE), legacy)
    assert.deepEqual(receiptForPeer(69, legacy, NO_NONCE), rlpEncode([0, 1, 50_000, [LOG_RLP]]))
  })

  it('gives receipts of every version as they are hashed', () => {
    const hashed = [encodeReceipt(receipt(0)), encodeReceipt(receipt(2)), canyon, regolith]
    const nonces = [NO_NONCE, NO_NONCE, storedNonce(9), storedNonce(4)]
    for (const version of [68, 69, 70] as const) {
      const received = hashed.map((raw, i) => rlpDecode(receiptFromPeer(version, receiptForPeer(version, raw, nonces[i] as Uint8Array))))
      assert.deepEqual(
        received.map((item) => (item instanceof Uint8Array ? item : rlpEncode(item))),
        hashed,
      )
    }
  })

  it('refuses what is no receipt', () => {
    for (const item of [[], [1, 1, 1], [0x80, 1, 1, []], [2, 1, 1, [[1]]], [2, 1, 1, [[new Uint8Array(20), [new Uint8Array(31)], 1]]]])
      assert.throws(() => receiptFromPeer(69, rlpEncode(item)), { name: 'CodecError' })
    assert.throws(() => receiptFromPeer(69, rlpEncode(5)), { name: 'CodecError' })
  })
})
