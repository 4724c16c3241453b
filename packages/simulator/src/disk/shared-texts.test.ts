import { strict as assert } from 'node:assert'
import { SharedTexts } from './shared-texts.ts'

/** More than are remembered. */
const MANY = 100_000

describe('SharedTexts', () => {
  it('returns a text that equals the given one', () => {
    const texts = new SharedTexts()
    for (const text of ['', 'a', 'a', 'block 7', '\u0000\u00ff']) assert.equal(texts.share(text), text)
  })

  it('still returns equal texts when it has seen more than it remembers', () => {
    const texts = new SharedTexts()
    for (let i = 0; i < MANY; i++) assert.equal(texts.share(`key ${i}`), `key ${i}`)
    for (let i = 0; i < MANY; i += 1_000) assert.equal(texts.share(`key ${i}`), `key ${i}`)
  })
})
