import assert from 'node:assert/strict'
import { bytesToHex, CodecError, hexToBytes, rlpDecode, rlpEncode, toHash } from '@keelson/primitives'
import type { ForkPoints } from '../chain-rules.ts'
import { forkHashText, forkId, forkIdFromRlp, forkIdToRlp } from './fork-id.ts'

/** Ethereum mainnet up to Cancun. */
const MAINNET: ForkPoints = {
  genesis: toHash('0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3'),
  blocks: [
    1_150_000, 1_920_000, 2_463_000, 2_675_000, 4_370_000, 7_280_000, 9_069_000, 9_200_000, 12_244_000, 12_965_000, 13_773_000, 15_050_000,
  ],
  times: [1_681_338_455, 1_710_338_135],
}

describe('fork id', () => {
  it('has the values of EIP-2124 and EIP-6122', () => {
    const cases: readonly (readonly [number, number, string, number])[] = [
      [0, 0, '0xfc64ec04', 1_150_000],
      [1_149_999, 0, '0xfc64ec04', 1_150_000],
      [1_150_000, 0, '0x97c2c34c', 1_920_000],
      [1_920_000, 0, '0x91d1f948', 2_463_000],
      [2_463_000, 0, '0x7a64da13', 2_675_000],
      [2_675_000, 0, '0x3edd5b10', 4_370_000],
      [4_370_000, 0, '0xa00bc324', 7_280_000],
      [7_280_000, 0, '0x668db0af', 9_069_000],
      [15_050_000, 0, '0xf0afd0e3', 1_681_338_455],
      [20_000_000, 1_681_338_454, '0xf0afd0e3', 1_681_338_455],
      [20_000_000, 1_681_338_455, '0xdce96c2d', 1_710_338_135],
      [40_000_000, 1_710_338_135, '0x9f3d2254', 0],
    ]
    for (const [number, timestampSec, hash, next] of cases) {
      const id = forkId(MAINNET, { number, timestampSec })
      assert.deepEqual([forkHashText(id.hash), Number(id.next)], [hash, next], `block ${number} at ${timestampSec}`)
    }
  })

  it('announces a fork that this release does not implement', () => {
    const points = { ...MAINNET, unsupportedTimeSec: 1_900_000_000 }
    assert.equal(forkId(points, { number: 40_000_000, timestampSec: 1_710_338_135 }).next, 1_900_000_000n)
  })

  it('is read and written as the vectors of EIP-2124 have it', () => {
    const cases: readonly (readonly [number, bigint, string])[] = [
      [0, 0n, '0xc6840000000080'],
      [0xdeadbeef, 0xbaddcafen, '0xca84deadbeef84baddcafe'],
      [0xffffffff, 2n ** 64n - 1n, '0xce84ffffffff88ffffffffffffffff'],
    ]
    for (const [hash, next, hex] of cases) {
      assert.equal(bytesToHex(rlpEncode(forkIdToRlp({ hash, next }))), hex)
      assert.deepEqual(forkIdFromRlp(rlpDecode(hexToBytes(hex))), { hash, next })
    }
  })

  it('is refused in another form', () => {
    for (const hex of [
      '0xc0',
      '0x84deadbeef',
      '0xc584deadbeef',
      '0xc583adbeef80',
      '0xcf84deadbeef89010000000000000000',
      '0xc784deadbeef8100',
    ]) {
      assert.throws(() => forkIdFromRlp(rlpDecode(hexToBytes(hex))), CodecError, hex)
    }
  })
})
