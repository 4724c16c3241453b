import assert from 'node:assert/strict'
import { hexToBytes } from '@keelson/primitives'
import { describeMismatch } from './describe-mismatch.ts'

const bytes = (hex: string) => hexToBytes(`0x${hex}`)
const compiledAs = (object: string) => ({ object, linkReferences: {} })
const trailerOf = (version: string) => `a264697066735822${`1220${'11'.repeat(32)}`}64736f6c6343${version}0033`

describe('the words for code that does not match', () => {
  it('name the first byte that differs', () => {
    assert.match(describeMismatch(bytes('60016003'), compiledAs('60016002')), /\(4 bytes\).* on chain \(4 bytes\) from byte 3$/)
    assert.match(describeMismatch(bytes('6001'), compiledAs('600160')), /the beginning of the other, up to byte 2$/)
  })

  it('do not name places that the deployment fills in', () => {
    const compiled = { ...compiledAs('610000610000ff'), immutableReferences: { 7: [1, 4].map((start) => ({ start, length: 2 })) } }
    assert.match(describeMismatch(bytes('610102610102fe'), compiled), /from byte 6$/)
    assert.match(describeMismatch(bytes('610102610103ff'), compiled), /several values there$/)
  })

  it('name the version of the compiler when the code on chain has another', () => {
    const words = describeMismatch(bytes(`6001${trailerOf('000814')}`), compiledAs(`6002${trailerOf('000825')}`))
    assert.match(words, /from byte 1; the code on chain says it was compiled with 0\.8\.20, not with 0\.8\.37$/)
  })
})
