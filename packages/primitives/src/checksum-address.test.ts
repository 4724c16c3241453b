import assert from 'node:assert/strict'
import { hasWrongChecksum, toChecksumAddress } from './checksum-address.ts'
import { toAddress } from './hex.ts'

describe('checksummed addresses', () => {
  it('has the case of the examples in EIP-55', () => {
    for (const example of [
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
      '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
      '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
      '0x52908400098527886E0F7030069857D2E4169EE7',
      '0xde709f2102306220921060314715629080e2fb77',
    ]) {
      assert.equal(toChecksumAddress(toAddress(example)), example)
    }
  })

  it('are wrong when a digit or the case of a letter is mistyped, and in one case have no checksum', () => {
    const right = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    assert.ok(!hasWrongChecksum(right))
    assert.ok(hasWrongChecksum('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe1'), 'a digit')
    assert.ok(hasWrongChecksum('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'), 'a case')
    assert.ok(!hasWrongChecksum(right.toLowerCase()))
    assert.ok(!hasWrongChecksum(`0x${right.slice(2).toUpperCase()}`))
  })
})
