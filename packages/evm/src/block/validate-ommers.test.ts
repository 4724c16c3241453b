import assert from 'node:assert/strict'
import { ethParameters, l1ForkRules } from '@keelson/chainspec'
import { EMPTY_OMMERS_HASH, EMPTY_TRIE_ROOT, type Header, hashHeader, ZERO_ADDRESS, ZERO_HASH } from '@keelson/primitives'
import { nextDifficulty } from './difficulty.ts'
import { type OmmerAncestor, validateOmmers } from './validate-ommers.ts'

const RULES = l1ForkRules('byzantium')
const GENESIS: Header = {
  parentHash: ZERO_HASH,
  ommersHash: EMPTY_OMMERS_HASH,
  feeRecipient: ZERO_ADDRESS,
  stateRoot: ZERO_HASH,
  transactionsRoot: EMPTY_TRIE_ROOT,
  receiptsRoot: EMPTY_TRIE_ROOT,
  logsBloom: new Uint8Array(256),
  difficulty: 131_072n,
  number: 0,
  gasLimit: 5_000_000n,
  gasUsed: 0n,
  timestampSec: 1000,
  extraData: new Uint8Array(0),
  mixHash: ZERO_HASH,
  nonce: new Uint8Array(8),
  baseFeeWei: null,
  withdrawalsRoot: null,
  blobGasUsed: null,
  excessBlobGas: null,
  parentBeaconBlockRoot: null,
  requestsHash: null,
  blockAccessListHash: null,
  slotNumber: null,
}

function childOf(parent: Header, mark = 0): Header {
  const header = { ...GENESIS, parentHash: hashHeader(parent), number: parent.number + 1, timestampSec: parent.timestampSec + 15 }
  const difficulty = nextDifficulty(parent, header, ethParameters(RULES.ethFork))
  return { ...header, difficulty, extraData: Uint8Array.of(mark) }
}

function chainOfTen(): readonly OmmerAncestor[] {
  const headers = [GENESIS]
  for (let i = 0; i < 10; i++) headers.push(childOf(headers[i] as Header))
  return headers.map((header) => ({ hash: hashHeader(header), header, ommerHashes: [] })).reverse()
}

describe('ommers', () => {
  const ancestors = chainOfTen()
  const at = (generation: number) => (ancestors[generation] as OmmerAncestor).header
  const header = childOf(at(0))
  const validate = (ommers: readonly Header[], others = ancestors) => validateOmmers(header, ommers, others, () => RULES)

  it('may be siblings of the parent and of the five blocks before it', () => {
    assert.equal(validate([]), null)
    assert.equal(validate([childOf(at(1), 1), childOf(at(1), 2)]), null)
    assert.equal(validate([childOf(at(6), 1)]), null)
  })

  const refused: readonly (readonly [string, readonly Header[]])[] = [
    ['more than two', [1, 2, 3].map((mark) => childOf(at(1), mark))],
    ['older than six generations', [childOf(at(7), 1)]],
    ['a sibling of the block itself', [childOf(at(0), 1)]],
    ['an ancestor', [at(1)]],
    ['the same one twice', [childOf(at(1), 1), childOf(at(1), 1)]],
    ['of a wrong difficulty', [{ ...childOf(at(1), 1), difficulty: 131_073n }]],
    ['of an unknown parent', [{ ...childOf(at(1), 1), parentHash: ZERO_HASH }]],
  ]
  for (const [what, ommers] of refused) {
    it(`are refused: ${what}`, () => {
      assert.equal(validate(ommers)?.reason, 'ommers')
    })
  }

  it('are refused with the rule that their header violates', () => {
    const ommer = childOf(at(1), 1)
    assert.equal(validate([{ ...ommer, difficulty: 131_073n }])?.ommerReason, 'difficulty')
    assert.equal(validate([{ ...ommer, gasLimit: 1n }])?.ommerReason, 'gas-limit')
    assert.equal(validate([at(1)])?.ommerReason, undefined)
  })

  it('are refused when an ancestor already includes them', () => {
    const ommer = childOf(at(2), 1)
    const named = ancestors.map((ancestor, i) => (i === 0 ? { ...ancestor, ommerHashes: [hashHeader(ommer)] } : ancestor))
    assert.equal(validate([ommer]), null)
    assert.equal(validate([ommer], named)?.reason, 'ommers')
  })
})
