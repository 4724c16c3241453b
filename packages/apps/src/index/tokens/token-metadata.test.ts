import assert from 'node:assert/strict'
import { encodeParameters } from '@keelson/contracts'
import { bigintToBytes, utf8ToBytes } from '@keelson/primitives'
import { readDecimals, readText } from './token-metadata.ts'

const text = (value: string) => readText(encodeParameters('string', [value]), 10)

describe('names of tokens', () => {
  it('are read from strings and from 32 bytes', () => {
    assert.equal(text('Dollar'), 'Dollar')
    const fixed = new Uint8Array(32)
    fixed.set(utf8ToBytes('MKR'))
    assert.equal(readText(fixed, 10), 'MKR')
  })

  it('are cut at whole characters', () => {
    assert.equal(text('😀'.repeat(11)), '😀'.repeat(10))
  })

  it('lose characters that control terminals, direction or layout', () => {
    assert.equal(text('a\u0000b\u001b[2Jc'), 'ab[2Jc')
    assert.equal(text('\u202eCDSU\u2066\u200b'), 'CDSU')
    assert.equal(text(`Z${'\u0301'.repeat(40)}!`), 'Z\u0301\u0301!')
    assert.equal(text(' two \n lines '), 'two lines')
  })

  it('are absent when nothing remains or the data is not text', () => {
    assert.equal(text('\u200b \u202e'), null)
    assert.equal(readText(new Uint8Array(0), 10), null)
    assert.equal(readText(new Uint8Array(64).fill(0xff), 10), null)
    assert.equal(readText(null, 10), null)
  })
})

describe('decimals of tokens', () => {
  it('are one word up to 77, the digits of the largest amount', () => {
    assert.equal(readDecimals(bigintToBytes(18n, 32)), 18)
    assert.equal(readDecimals(bigintToBytes(77n, 32)), 77)
    assert.equal(readDecimals(bigintToBytes(78n, 32)), null)
    assert.equal(readDecimals(new Uint8Array(31)), null)
    assert.equal(readDecimals(null), null)
  })
})
