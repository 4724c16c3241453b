import assert from 'node:assert/strict'
import { millionthsToDecimal } from './receipt-json.ts'

describe('receipts over RPC', () => {
  it('writes the old scalar as a decimal', () => {
    assert.deepEqual([684_000n, 1_000_000n, 0n, 1_500_001n].map(millionthsToDecimal), ['0.684', '1', '0', '1.500001'])
  })
})
