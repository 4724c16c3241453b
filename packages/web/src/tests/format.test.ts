import assert from 'node:assert/strict'
import { encodeL1Info, type L1Info } from '@keelson/derivation/codec'
import { bytesToHex, toAddress, toHash } from '@keelson/primitives'
import { l1OriginOf } from '../client/data/l1-origin.ts'
import {
  counted,
  formatBytes,
  formatGasPrice,
  formatLarge,
  formatNative,
  formatPercent,
  formatUnits,
  rawAmount,
} from '../client/format/amounts.ts'
import { shortHex } from '../client/format/hex.ts'
import { formatAbsolute, formatAgo } from '../client/format/times.ts'
import { originsOf } from '../client/pages/home/origins.ts'
import { throughputOf } from '../client/pages/home/throughput.ts'

const block = (number: number, more: { transactions?: number; gasUsed?: number; l1Origin?: number | null } = {}) => ({
  ...{ number, hash: `0x${number}`, parentHash: `0x${number - 1}`, timeMs: number * 2_000, gasLimit: 100, baseFeeWei: 1n },
  ...{ transactions: 1, gasUsed: 10, l1Origin: null },
  ...more,
})

describe('what the pages write', () => {
  it('amounts keep their exact digits as far as they are shown', () => {
    assert.equal(formatUnits(1_234_567_890_123_456_789_012n, 18), '1,234.56789')
    assert.equal(formatUnits(2n ** 256n - 1n, 0).replaceAll(',', ''), String(2n ** 256n - 1n))
    assert.equal(formatUnits(-1_500_000n, 6), '-1.5')
    assert.equal(formatUnits(1n, 18), '<0.000001')
    assert.equal(formatNative(0n, 'ETH'), '0 ETH')
    assert.equal(formatNative(252n, 'ETH'), '252 wei')
    assert.equal(formatNative(69_334_944_115n, 'ETH'), '69.33 gwei')
    assert.equal(formatGasPrice(1_500_000_000n), '1.5 gwei')
    assert.equal(rawAmount(14_500_000n * 10n ** 6n), '14,500,000,000,000 of the smallest unit')
  })

  it('counts, sizes and shares are short', () => {
    assert.deepEqual([12, 9_999, 54_321, 4_560_000].map(formatLarge), ['12', '9,999', '54.3 k', '4.56 M'])
    assert.deepEqual([1, 999, 2_840].map(formatBytes), ['1 byte', '999 bytes', '2.84 kB'])
    assert.deepEqual([0, 0.0001, 0.123].map(formatPercent), ['0%', '<0.1%', '12.3%'])
    assert.equal(shortHex(`0x${'ab'.repeat(20)}`), '0xababab…abab')
  })

  it('times are relative, with the absolute one beside', () => {
    const now = Date.UTC(2026, 0, 2)
    assert.deepEqual(
      [0, 1_000, 61_000, 7_200_000, 86_400_000, -600_000].map((age) => formatAgo(now - age, now)),
      ['now', '1 s ago', '1 min ago', '2 h ago', '1 d ago', 'in 10 min'],
    )
    assert.equal(formatAbsolute(now), '2026-01-02 00:00:00 UTC')
  })

  it('throughput leaves out the first transaction of each block, which no user sent', () => {
    const blocks = [block(1), block(2, { transactions: 5, gasUsed: 30 }), block(3, { transactions: 1, gasUsed: 10 })]
    assert.deepEqual(throughputOf(blocks), { transactionsPerSec: 1, gasPerSec: 10, blockTimeSec: 2 })
    assert.deepEqual(throughputOf([block(1)]), { transactionsPerSec: null, gasPerSec: null, blockTimeSec: null })
  })

  it('L1 blocks span the L2 blocks that build on them', () => {
    const blocks = [block(1, { l1Origin: 7 }), block(2, { l1Origin: 7 }), block(3, { l1Origin: 8 }), block(4)]
    assert.deepEqual(originsOf(blocks), [
      { l1Block: 7, first: 1, last: 2 },
      { l1Block: 8, first: 3, last: 3 },
    ])
  })

  for (const format of ['bedrock', 'ecotone', 'isthmus', 'jovian'] as const) {
    it(`the L1 block is read from the L1 information of ${format}`, () => {
      const info: L1Info = {
        ...{ format, number: 21_000_123, timestampSec: 5, baseFeeWei: 6n, hash: toHash(`0x${'11'.repeat(32)}`), sequenceNumber: 2 },
        ...{ batcherAddress: toAddress(`0x${'22'.repeat(20)}`), overhead: new Uint8Array(32), scalar: new Uint8Array(32) },
        ...{
          baseFeeScalar: 1,
          blobBaseFeeScalar: 2,
          blobBaseFeeWei: 3n,
          operatorFeeScalar: 4,
          operatorFeeConstant: 5n,
          daFootprintGasScalar: 6,
        },
      }
      assert.equal(l1OriginOf(bytesToHex(encodeL1Info(info))), 21_000_123)
    })
  }

  it('one thing is singular, every other number plural', () => {
    assert.deepEqual(
      [0, 1, 2, 1_234].map((count) => counted(count, 'transaction')),
      ['0 transactions', '1 transaction', '2 transactions', '1,234 transactions'],
    )
    assert.deepEqual([counted(1, 'batch', 'batches'), counted(2, 'batch', 'batches')], ['1 batch', '2 batches'])
  })

  it('no L1 block is read from other data', () => {
    for (const input of ['0x', '0x1234', `0x${'00'.repeat(100)}`]) assert.equal(l1OriginOf(input), null)
  })
})
