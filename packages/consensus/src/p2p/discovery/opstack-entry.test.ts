import assert from 'node:assert/strict'
import { hexToBytes } from '@keelson/primitives'
import fc from 'fast-check'
import { decodeOpstackEntry, encodeOpstackEntry, isOfChain } from './opstack-entry.ts'

describe('the opstack entry of a discovery record', () => {
  it('is two unsigned varints', () => {
    // 901 is 0b111_0000101: seven bits per byte, lowest first.
    assert.deepEqual(encodeOpstackEntry(901n), hexToBytes('0x850700'))
    assert.deepEqual(encodeOpstackEntry(10n), hexToBytes('0x0a00'))
    assert.deepEqual(decodeOpstackEntry(hexToBytes('0x850701ffff')), { chainId: 901n, version: 1n })
    assert.equal(isOfChain({ chainId: 901n, version: 1n }, 901n), false)
    assert.equal(isOfChain({ chainId: 901n, version: 0n }, 901n), true)
  })

  it('comes back for every chain id', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (chainId) => {
        assert.deepEqual(decodeOpstackEntry(encodeOpstackEntry(chainId)), { chainId, version: 0n })
      }),
    )
  })

  it('is none when it breaks off or overflows', () => {
    for (const hex of ['0x', '0x85', '0x8507', '0x850780', '0xffffffffffffffffff7f00', '0xffffffffffffffffffffff00'] as const) {
      assert.equal(decodeOpstackEntry(hexToBytes(hex)), null, hex)
    }
  })
})
