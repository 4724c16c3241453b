import assert from 'node:assert/strict'
import { toAddress } from '@keelson/primitives'
import type { ChainNames } from '../../tools/token-names.ts'
import { TextReader } from './text-reader.ts'

describe('messages that are read again', () => {
  const namesWith = (symbol: string) =>
    ({
      name: 'devnet',
      names: ['devnet'],
      tokens: [{ symbol, address: toAddress(new Uint8Array(20).fill(1)) }],
      priced: [],
      aliases: new Map(),
    }) as unknown as ChainNames

  it('are read once, and again when the names of tokens change', () => {
    const reader = new TextReader()
    const [before, after] = [namesWith('ABC'), namesWith('XYZ')]
    const first = reader.read('price of abc', [before])
    assert.equal(first.read.entities.tokenIn ?? first.read.entities.loose, 'ABC')
    assert.equal(reader.read('price of abc', [before]), first)
    const { entities } = reader.read('price of abc', [after]).read
    assert.notEqual(entities.tokenIn ?? entities.loose, 'ABC')
  })

  it('take bounded memory', () => {
    const reader = new TextReader()
    const chains = [namesWith('ABC')]
    const first = reader.read('first', chains)
    const long = reader.read('x'.repeat(501), chains)
    for (let i = 0; i < 1_000; i++) reader.read(`question ${i}`, chains)
    assert.notEqual(reader.read('first', chains), first)
    assert.notEqual(reader.read('x'.repeat(501), chains), long)
  })
})
