import assert from 'node:assert/strict'
import { checksummed } from './checksummed.ts'

/** Test vectors of EIP-55. */
const RIGHT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const LOWER = RIGHT.toLowerCase()

describe('addresses in answers', () => {
  it('have their checksum in lists, objects and sentences', () => {
    assert.deepEqual(
      checksummed({ a: [LOWER, 1, null], b: { c: `feed ${LOWER}, of (${LOWER})` }, d: LOWER.toUpperCase().replace('X', 'x') }),
      {
        a: [RIGHT, 1, null],
        b: { c: `feed ${RIGHT}, of (${RIGHT})` },
        d: RIGHT,
      },
    )
  })

  it('are not changed in hashes, calldata, words and data of other services', () => {
    const untouched = {
      hash: `0x${'ab'.repeat(32)}`,
      data: `0x7ff36ab5${LOWER.slice(2)}`,
      word: `${LOWER}z`,
      short: LOWER.slice(0, -1),
      graph_data: { id: LOWER },
      analytics_rows: [{ account: LOWER }],
    }
    assert.equal(checksummed(untouched), untouched)
  })
})
