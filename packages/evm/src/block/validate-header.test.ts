import assert from 'node:assert/strict'
import { type BlockRules, l1ForkRules } from '@keelson/chainspec'
import {
  EMPTY_BLOCK_ACCESS_LIST_HASH,
  EMPTY_OMMERS_HASH,
  EMPTY_REQUESTS_HASH,
  EMPTY_TRIE_ROOT,
  type Header,
  hexToBytes,
  toHash,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '@keelson/primitives'
import { opRules } from '../../../../test/support/evm-world.ts'
import { nextBaseFeeWei } from './base-fee.ts'
import { type HeaderRejection, validateHeader } from './validate-header.ts'

const SOME_ROOT = toHash(`0x${'5a'.repeat(32)}`)
const EXTRA = { holocene: hexToBytes('0x00000000fa00000006'), jovian: hexToBytes('0x01000000fa000000060000000000000000') }

function base(changes: Partial<Header>): Header {
  return {
    parentHash: ZERO_HASH,
    ommersHash: EMPTY_OMMERS_HASH,
    feeRecipient: ZERO_ADDRESS,
    stateRoot: ZERO_HASH,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(256),
    difficulty: 0n,
    number: 10,
    gasLimit: 30_000_000n,
    gasUsed: 0n,
    timestampSec: 1000,
    extraData: new Uint8Array(0),
    mixHash: ZERO_HASH,
    nonce: new Uint8Array(8),
    baseFeeWei: 1_000_000_000n,
    withdrawalsRoot: null,
    blobGasUsed: null,
    excessBlobGas: null,
    parentBeaconBlockRoot: null,
    requestsHash: null,
    blockAccessListHash: null,
    slotNumber: null,
    ...changes,
  }
}

const ISTHMUS = {
  extraData: EXTRA.holocene,
  withdrawalsRoot: SOME_ROOT,
  blobGasUsed: 0n,
  excessBlobGas: 0n,
  parentBeaconBlockRoot: ZERO_HASH,
  requestsHash: EMPTY_REQUESTS_HASH,
}
const CASES: readonly (readonly [name: string, rules: BlockRules, fields: Partial<Header>])[] = [
  ['bedrock', opRules('bedrock'), {}],
  ['canyon', opRules('canyon'), { withdrawalsRoot: EMPTY_TRIE_ROOT }],
  ['isthmus', opRules('isthmus'), ISTHMUS],
  ['jovian', opRules('jovian'), { ...ISTHMUS, extraData: EXTRA.jovian, blobGasUsed: 40_000n }],
  ['L1 London', l1ForkRules('london'), { difficulty: 2_048_000n, nonce: new Uint8Array(8).fill(1) }],
  [
    'L1 Cancun',
    l1ForkRules('cancun'),
    { withdrawalsRoot: SOME_ROOT, blobGasUsed: 131_072n, excessBlobGas: 0n, parentBeaconBlockRoot: SOME_ROOT },
  ],
  [
    'L1 Amsterdam',
    l1ForkRules('amsterdam'),
    {
      withdrawalsRoot: SOME_ROOT,
      blobGasUsed: 131_072n,
      excessBlobGas: 0n,
      parentBeaconBlockRoot: SOME_ROOT,
      requestsHash: SOME_ROOT,
      blockAccessListHash: SOME_ROOT,
      slotNumber: 7n,
    },
  ],
]

function pair(rules: BlockRules, fields: Partial<Header>): readonly [Header, Header] {
  const parent = base({ ...fields })
  const header = base({ ...fields, number: 11, timestampSec: 1009, baseFeeWei: nextBaseFeeWei(parent, rules) })
  return [header, parent]
}

describe('header validation', () => {
  for (const [name, rules, fields] of CASES) {
    it(`accepts a header of ${name}`, () => {
      const [header, parent] = pair(rules, fields)
      assert.equal(validateHeader(header, parent, rules), null)
    })
  }

  const refusals: readonly (readonly [HeaderRejection, string, Partial<Header>])[] = [
    ['number', 'jovian', { number: 12 }],
    ['timestamp', 'jovian', { timestampSec: 1000 }],
    ['gas-used-above-limit', 'jovian', { gasUsed: 30_000_001n }],
    ['gas-limit', 'jovian', { gasLimit: 1n << 63n }],
    ['gas-limit', 'L1 London', { gasLimit: 30_029_297n }],
    ['ommers', 'jovian', { ommersHash: SOME_ROOT }],
    ['difficulty', 'jovian', { difficulty: 1n }],
    ['difficulty', 'L1 London', { difficulty: 2_048_001n }],
    ['nonce', 'jovian', { nonce: new Uint8Array(8).fill(1) }],
    ['base-fee', 'jovian', { baseFeeWei: 1n }],
    ['withdrawals-root', 'bedrock', { withdrawalsRoot: EMPTY_TRIE_ROOT }],
    ['withdrawals-root', 'canyon', { withdrawalsRoot: SOME_ROOT }],
    ['withdrawals-root', 'isthmus', { withdrawalsRoot: null, blobGasUsed: null }],
    ['blob-gas-used', 'canyon', { blobGasUsed: 0n }],
    ['blob-gas-used', 'isthmus', { blobGasUsed: 1n }],
    ['blob-gas-used', 'jovian', { blobGasUsed: 30_000_001n }],
    ['blob-gas-used', 'L1 Cancun', { blobGasUsed: 131_073n }],
    ['blob-gas-used', 'L1 Cancun', { blobGasUsed: 7n * 131_072n }],
    ['excess-blob-gas', 'jovian', { excessBlobGas: 1n }],
    ['excess-blob-gas', 'L1 Cancun', { excessBlobGas: 131_072n }],
    ['parent-beacon-block-root', 'isthmus', { parentBeaconBlockRoot: null }],
    ['requests-hash', 'isthmus', { requestsHash: null }],
    ['requests-hash', 'isthmus', { requestsHash: SOME_ROOT }],
    ['requests-hash', 'L1 Cancun', { requestsHash: EMPTY_REQUESTS_HASH }],
    ['block-access-list-hash', 'jovian', { blockAccessListHash: EMPTY_BLOCK_ACCESS_LIST_HASH, slotNumber: 1n }],
    ['block-access-list-hash', 'L1 Cancun', { requestsHash: null, blockAccessListHash: EMPTY_BLOCK_ACCESS_LIST_HASH }],
    ['slot-number', 'jovian', { slotNumber: 1n }],
    ['block-access-list-hash', 'L1 Amsterdam', { blockAccessListHash: null, slotNumber: null }],
    ['slot-number', 'L1 Amsterdam', { slotNumber: null }],
    ['extra-data-version', 'isthmus', { extraData: hexToBytes('0x01000000fa00000006') }],
  ]
  for (const [reason, name, changes] of refusals) {
    it(`refuses ${Object.keys(changes).join(' and ')} in ${name} with ${reason}`, () => {
      const [, rules, fields] = CASES.find(([each]) => each === name) as (typeof CASES)[number]
      const [header, parent] = pair(rules, fields)
      const problem = validateHeader({ ...header, ...changes }, parent, rules)
      assert.equal(problem?.reason, reason)
      assert.match(problem?.message ?? '', /block 1[12]/)
    })
  }
})
