import assert from 'node:assert/strict'
import { concat, stringToHex, keccak256 as viemKeccak } from 'viem'
import { bytesToHex, toHash } from '../hex.ts'
import { outputRootV0 } from './output-root.ts'
import { inclusionTime, originTime, sameBlock } from './rollup-types.ts'
import { l1InfoSourceHash, upgradeSourceHash, userDepositSourceHash } from './source-hash.ts'

const zero = toHash(`0x${'00'.repeat(32)}`)
const word = (n: bigint) => `0x${n.toString(16).padStart(64, '0')}` as const
const BLOCK = toHash(`0x${'ab'.repeat(32)}`)

describe('source hashes', () => {
  it('gives the hashes the specification states for upgrades', () => {
    // specs: protocol/ecotone, fjord and isthmus derivation.md
    assert.equal(
      bytesToHex(upgradeSourceHash('Ecotone: L1 Block Deployment')),
      '0x877a6077205782ea15a6dc8699fa5ebcec5e0f4389f09cb8eda09488231346f8',
    )
    assert.equal(
      bytesToHex(upgradeSourceHash('Fjord: Gas Price Oracle Set Fjord')),
      '0xbac7bb0d5961cad209a345408b0280a0d4686b1b20665e1b0f9cdafd73b19b6b',
    )
    assert.equal(
      bytesToHex(upgradeSourceHash('Isthmus: L1 Block Proxy Update')),
      '0xebe8b5cb10ca47e0d8bda8f5355f2d66711a54ddeb0ef1d30e29418c9bf17a0e',
    )
  })

  it('keeps the three domains apart', () => {
    const expected = (domain: bigint, id: `0x${string}`) => viemKeccak(concat([word(domain), viemKeccak(id)]))
    assert.equal(bytesToHex(userDepositSourceHash(BLOCK, 3)), expected(0n, concat([BLOCK, word(3n)])))
    assert.equal(bytesToHex(l1InfoSourceHash(BLOCK, 3)), expected(1n, concat([BLOCK, word(3n)])))
    assert.equal(bytesToHex(upgradeSourceHash('x')), expected(2n, stringToHex('x')))
  })
})

describe('output root', () => {
  it('is the hash of version, state root, message passer root and block hash', () => {
    const [a, b, c] = [toHash(word(1n)), toHash(word(2n)), toHash(word(3n))]
    assert.equal(outputRootV0(a, b, c), viemKeccak(concat([zero, a, b, c])))
  })
})

describe('block references', () => {
  it('compares by hash and gives an L1 block its time by role', () => {
    const block = { hash: BLOCK, number: 1, parentHash: zero, timestampSec: 99 }
    assert.ok(sameBlock(block, { hash: BLOCK, number: 2 }))
    assert.ok(!sameBlock(block, { hash: zero, number: 1 }))
    assert.equal(inclusionTime(block), 99)
    assert.equal(originTime(block), 99)
  })
})
