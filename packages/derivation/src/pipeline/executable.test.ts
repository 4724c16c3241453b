import assert from 'node:assert/strict'
import { executableOrRefused } from './executable.ts'

const GAS_LIMIT = 30_000_000n
const REFUSED = [new Uint8Array(0)]
const lists = (count: number, bytes: number) => new Array<Uint8Array>(count).fill(new Uint8Array(bytes).fill(0xc0))

describe('transactions that no block can hold', () => {
  const CASES: readonly (readonly [title: string, count: number, bytes: number, fits: boolean])[] = [
    ['none', 0, 0, true],
    ['one that cannot be decoded', 1, 1, true],
    ['as many transfers as a block holds', 30_000_000 / 21_000, 110, true],
    ['far more', 2_000, 110, false],
    ['as much data as a block holds', 1, (30_000_000 - 21_000) / 4, true],
    ['far more data', 1, 10_000_000, false],
  ]
  for (const [title, count, bytes, fits] of CASES) {
    it(`${title}: ${fits ? 'left to the engine' : 'become one that every engine refuses'}`, () => {
      const transactions = lists(Math.floor(count), Math.floor(bytes))
      assert.deepEqual(executableOrRefused(transactions, GAS_LIMIT), fits ? transactions : REFUSED)
    })
  }

  it('are read only until the gas limit is exceeded', () => {
    let seen = 0
    const endless = {
      length: Number.POSITIVE_INFINITY,
      *[Symbol.iterator]() {
        for (;;) {
          seen++
          yield new Uint8Array(100)
        }
      },
    }
    assert.deepEqual(executableOrRefused(endless, GAS_LIMIT), REFUSED)
    assert.ok(seen < 2_000, `${seen} transactions`)
  })
})
