import assert from 'node:assert/strict'
import { type SpanFieldVector, spanFieldCase } from './op-derivation-span-batch.ts'

const verdictOf = (vector: SpanFieldVector) => {
  try {
    spanFieldCase('case', vector).run()
    return 'passes'
  } catch {
    return 'fails'
  }
}

/** Bytes by hand from protocol/delta/span-batches.md: bit lists are big-endian, numbers are varints. */
describe('vectors of span batches with names that no release knew', () => {
  const YES: readonly SpanFieldVector[] = [
    { name: 'decodeAndEncodeYParityBits', totalBlockTxCount: 9, data: '0x01a5' },
    { name: 'decodeAndEncodeOriginBits', blockCount: 3, data: '0x05' },
    { name: 'originBits', blockCount: 3, data: '0x05' },
    { name: 'blockTxCounts', blockCount: 3, data: '0x018102ff7f' },
    { name: 'decodeAndEncodeBlockTxCounts', blockCount: 2, data: '0x0102' },
    { name: 'decodeAndEncodeTxNonce', totalBlockTxCount: 2, data: '0x0102' },
    { name: 'relTimestamp', data: '0x8102' },
    { name: 'decodeAndEncodeL1OriginNum', data: '0x7f' },
    { name: 'parentCheck', data: `0x${'ab'.repeat(20)}` },
    { name: 'decodeAndEncodePrefix', data: `0x0102${'ab'.repeat(40)}` },
    { name: 'decodeAndEncodeTxSigs', totalBlockTxCount: 1, data: `0x${'11'.repeat(64)}` },
    { name: 'aFieldOfTomorrow', totalBlockTxCount: 2, data: '0x8101ff01' },
  ]
  for (const vector of YES) it(`judges ${vector.name} by its bytes`, () => assert.equal(verdictOf(vector), 'passes'))

  const NO: readonly SpanFieldVector[] = [
    // A bit beyond the ninth, a number that is not minimal, a missing byte, a byte too many.
    { name: 'decodeAndEncodeYParityBits', totalBlockTxCount: 9, data: '0x03a5' },
    { name: 'decodeAndEncodeBlockTxCounts', blockCount: 2, data: '0x01' },
    { name: 'relTimestamp', data: '0x810200' },
    { name: 'parentCheck', data: `0x${'ab'.repeat(19)}` },
    { name: 'aFieldOfTomorrow', totalBlockTxCount: 2, data: `0x80${'80'.repeat(10)}` },
  ]
  for (const vector of NO) it(`fails ${vector.name} with other bytes: ${vector.data}`, () => assert.equal(verdictOf(vector), 'fails'))
})
