import assert from 'node:assert/strict'
import { blockJson, blockLine, formatFee } from './block-line.ts'

const block = {
  number: 1042,
  hash: `0x${'ab'.repeat(32)}`,
  transactions: 3,
  gasUsed: 1_500_000,
  gasLimit: 30_000_000,
  baseFeeWei: 252,
  elapsedMs: 30,
}
const heads = { unsafe: 1042, safe: 1030, finalized: 1000 }

describe('the block line', () => {
  it('says size, speed, fullness and how far safe trails', () => {
    assert.equal(
      blockLine(block, heads),
      'block   1042  0xabababab..abab  txs    3  gas   1.50 M    50.0 Mgas/s    5.0% full  base fee 252 wei  30.0 ms  safe 1030 (-12)  finalized 1000',
    )
  })

  it('does not divide by a time of zero', () => {
    assert.match(blockLine({ ...block, elapsedMs: 0 }, heads), / 0\.0 Mgas\/s/)
  })

  it('is one JSON object with --json, whose unsafe head is at least this block', () => {
    assert.deepEqual(JSON.parse(blockJson(block, { ...heads, unsafe: 1040 })), { event: 'block', ...block, heads })
  })

  it('shows fees in the unit that reads best', () => {
    assert.equal(formatFee(1), '1 wei')
    assert.equal(formatFee(1_000_000), '0.001 Gwei')
    assert.equal(formatFee(1.5e9), '1.5 Gwei')
  })
})
