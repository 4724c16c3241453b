import assert from 'node:assert/strict'
import { hexToBytes } from '@keelson/primitives'
import { matchCode } from './match-code.ts'

const NO_LIBRARIES = { linkReferences: {} }
const bytes = (hex: string) => hexToBytes(`0x${hex}`)
const trailerOf = (hash: string) => `a264697066735822${hash}64736f6c63430008250033`
const [HASH, OTHER_HASH] = [`1220${'11'.repeat(32)}`, `1220${'22'.repeat(32)}`]

describe('matching of code', () => {
  it('calls equal code exact and another metadata hash partial', () => {
    const compiled = { ...NO_LIBRARIES, object: `6001${trailerOf(HASH)}` }
    assert.equal(matchCode(bytes(`6001${trailerOf(HASH)}`), compiled, true)?.kind, 'exact')
    assert.equal(matchCode(bytes(`6001${trailerOf(OTHER_HASH)}`), compiled, true)?.kind, 'partial')
    assert.equal(matchCode(bytes(`6002${trailerOf(HASH)}`), compiled, true), null)
    assert.equal(matchCode(bytes(`6001${trailerOf(HASH).replace('000825', '000824')}`), compiled, true), null)
  })

  it('compares bytes that look like a metadata hash when the compiler appends none', () => {
    const compiled = { ...NO_LIBRARIES, object: `6001${trailerOf(HASH)}` }
    assert.equal(matchCode(bytes(`6001${trailerOf(HASH)}`), compiled, false)?.kind, 'partial')
    assert.equal(matchCode(bytes(`6001${trailerOf(OTHER_HASH)}`), compiled, false), null)
  })

  it('requires one value for all places of an immutable', () => {
    const references = [1, 4].map((start) => ({ start, length: 2 }))
    const compiled = { ...NO_LIBRARIES, object: '610000610000', immutableReferences: { 7: references } }
    assert.notEqual(matchCode(bytes('610102610102'), compiled, true), null)
    assert.equal(matchCode(bytes('610102610103'), compiled, true), null)
    assert.equal(matchCode(bytes('620102610102'), compiled, true), null)
  })

  it('reads the address of a library and requires it everywhere', () => {
    const [one, two] = ['aa'.repeat(20), 'bb'.repeat(20)]
    const placeholder = `__$${'0f'.repeat(17)}$__`
    const references = [1, 22].map((start) => ({ start, length: 20 }))
    const compiled = { object: `73${placeholder}73${placeholder}`, linkReferences: { 'A.sol': { L: references } } }
    assert.deepEqual(matchCode(bytes(`73${one}73${one}`), compiled, true)?.libraries, { 'A.sol:L': `0x${one}` })
    assert.equal(matchCode(bytes(`73${one}73${two}`), compiled, true), null)
  })

  it('accepts the address that a deployed library holds', () => {
    const compiled = { ...NO_LIBRARIES, object: `73${'00'.repeat(20)}301400` }
    assert.notEqual(matchCode(bytes(`73${'cc'.repeat(20)}301400`), compiled, true), null)
    assert.equal(matchCode(bytes(`73${'cc'.repeat(20)}301401`), compiled, true), null)
  })

  it('refuses code of another length and no code', () => {
    assert.equal(matchCode(bytes('6001'), { ...NO_LIBRARIES, object: '600100' }, true), null)
    assert.equal(matchCode(bytes(''), { ...NO_LIBRARIES, object: '' }, true), null)
  })
})
