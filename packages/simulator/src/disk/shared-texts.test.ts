import { strict as assert } from 'node:assert'
import { SharedTexts } from './shared-texts.ts'

/** More than are remembered. */
const MANY = 100_000

describe('SharedTexts', () => {
  it('returns a key and a value that equal the given ones, also when another disk has another value', () => {
    const texts = new SharedTexts()
    for (const key of ['', 'a', 'block 7', '\u0000\u00ff'])
      for (const value of ['', 'a', 'a', 'b', '\u0000\u00ff']) assert.deepEqual(texts.share(key, value), { key, value })
  })

  it('still returns equal texts when it has seen more than it remembers', () => {
    const texts = new SharedTexts()
    const check = (i: number) => assert.deepEqual(texts.share(`key ${i}`, `value ${i}`), { key: `key ${i}`, value: `value ${i}` })
    for (let i = 0; i < MANY; i++) check(i)
    for (let i = 0; i < MANY; i += 1_000) check(i)
  })
})
