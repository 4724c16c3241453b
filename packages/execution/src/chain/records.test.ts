import assert from 'node:assert/strict'
import { encodeHeader, type Header, type Receipt, TX_DEPOSIT, toAddress, ZERO_ADDRESS, ZERO_HASH } from '@keelson/primitives'
import {
  bloomOfEncodedHeader,
  decodeLabels,
  decodeLocation,
  decodeStoredReceipts,
  encodeLabels,
  encodeLocation,
  encodeStoredReceipts,
  type StoredReceipt,
} from './records.ts'

const receipt = (fields: Partial<Receipt>): Receipt => ({
  type: 2,
  outcome: { status: 1 },
  cumulativeGasUsed: 21_000n,
  logsBloom: new Uint8Array(256),
  logs: [{ address: ZERO_ADDRESS, topics: [ZERO_HASH], data: Uint8Array.of(1, 2) }],
  depositNonce: null,
  depositReceiptVersion: null,
  ...fields,
})
const sender = new Uint8Array(20).fill(7)

describe('chain records', () => {
  it('keeps a deposit nonce that its receipt does not encode, and distinguishes zero from absent', () => {
    const fee = {
      l1FeeWei: 0n,
      l1GasPriceWei: 5n,
      l1GasUsed: 1_600n,
      l1FeeScalar: null,
      l1BaseFeeScalar: 0,
      l1BlobBaseFeeWei: 1n,
      l1BlobBaseFeeScalar: 9,
      operatorFeeScalar: null,
      operatorFeeConstant: null,
      daFootprintGasScalar: 400,
      daFootprint: 40_000n,
    }
    const stored: StoredReceipt[] = [
      { receipt: receipt({ type: TX_DEPOSIT, depositNonce: 0n }), sender, l1Fee: null },
      { receipt: receipt({ type: TX_DEPOSIT, depositNonce: 3n, depositReceiptVersion: 1n }), sender, l1Fee: null },
      { receipt: receipt({ outcome: { status: 0 } }), sender, l1Fee: fee },
      { receipt: receipt({ type: 0, outcome: { root: ZERO_HASH } }), sender, l1Fee: null },
    ]
    assert.deepEqual(decodeStoredReceipts(encodeStoredReceipts(stored)), stored)
    assert.deepEqual(decodeStoredReceipts(encodeStoredReceipts([])), [])
  })

  it('keeps labels and transaction locations', () => {
    const labels = { head: hash(1), safe: hash(2), finalized: hash(3) }
    assert.deepEqual(decodeLabels(encodeLabels(labels)), labels)
    assert.deepEqual(decodeLocation(encodeLocation({ blockNumber: 2 ** 40, index: 65_535 })), { blockNumber: 2 ** 40, index: 65_535 })
  })

  it('finds the bloom filter in an encoded header whatever comes after it', () => {
    const logsBloom = Uint8Array.from({ length: 256 }, (_, i) => i)
    for (const number of [0, 2 ** 50]) {
      const header: Header = {
        parentHash: ZERO_HASH,
        ommersHash: ZERO_HASH,
        feeRecipient: toAddress(sender),
        stateRoot: ZERO_HASH,
        transactionsRoot: ZERO_HASH,
        receiptsRoot: ZERO_HASH,
        logsBloom,
        difficulty: 0n,
        number,
        gasLimit: 30_000_000n,
        gasUsed: 0n,
        timestampSec: 1,
        extraData: new Uint8Array(17),
        mixHash: ZERO_HASH,
        nonce: new Uint8Array(8),
        baseFeeWei: null,
        withdrawalsRoot: null,
        blobGasUsed: null,
        excessBlobGas: null,
        parentBeaconBlockRoot: null,
        requestsHash: null,
        blockAccessListHash: null,
        slotNumber: null,
      }
      assert.deepEqual(bloomOfEncodedHeader(encodeHeader(header)), logsBloom)
    }
  })
})

function hash(digit: number) {
  return `0x${String(digit).repeat(64)}` as typeof ZERO_HASH
}
