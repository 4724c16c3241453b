/** specs: protocol/lagoon/post-exec.md#encoding, sdm.md#validity-rules */
import assert from 'node:assert/strict'
import { createPureCrypto } from '../crypto/pure-crypto.ts'
import { hexToBytes } from '../hex.ts'
import { keccak256Hash } from '../keccak.ts'
import { type RlpInput, rlpEncode } from '../rlp.ts'
import { parseTransactionJson } from '../wire/transaction-json.ts'
import { decodeSignedTransaction, decodeTransaction } from './decode-transaction.ts'
import { decodePostExecPayload, encodePostExecPayload, postExecTransaction } from './post-exec.ts'
import { recoverSender } from './sender.ts'
import { isPostExec } from './transaction.ts'

/** [1, 7, [[2, 21000], [4, 1]]], written by the rules of RLP. */
const PAYLOAD = hexToBytes('0xcb0107c8c402825208c20401')
const REFUNDS = [
  { index: 2, gas: 21_000n },
  { index: 4, gas: 1n },
]

describe('post-execution transaction', () => {
  it('is the type byte before the list of its payload, and its hash covers both', () => {
    const raw = Uint8Array.of(0x7d, ...PAYLOAD)
    const tx = decodeTransaction(raw)
    assert.ok(isPostExec(tx))
    assert.deepEqual([tx.payload, tx.hash], [PAYLOAD, keccak256Hash(raw)])
    assert.deepEqual(postExecTransaction(PAYLOAD).raw, raw)
  })

  it('has a payload of version, block number and refunds', () => {
    assert.deepEqual(decodePostExecPayload(PAYLOAD), { version: 1, blockNumber: 7n, refunds: REFUNDS })
    assert.deepEqual(encodePostExecPayload({ version: 1, blockNumber: 7n, refunds: REFUNDS }), PAYLOAD)
  })

  const refused: readonly (readonly [string, RlpInput, RegExp])[] = [
    ['an unknown version', [2, 7, [[2, 1]]], /version 2 is not known/],
    ['version zero', [0, 7, [[2, 1]]], /version 0 is not known/],
    ['a field too many', [1, 7, [[2, 1]], 5], /expected 3 fields, got 4/],
    ['no refunds', [1, 7, []], /it refunds nothing/],
    ['a refund of nothing', [1, 7, [[2, 0]]], /refund of transaction 2 is zero/],
    [
      'refunds out of order',
      [
        1,
        7,
        [
          [4, 1],
          [2, 1],
        ],
      ],
      /refund of transaction 2 follows that of 4/,
    ],
    [
      'two refunds of one transaction',
      [
        1,
        7,
        [
          [2, 1],
          [2, 1],
        ],
      ],
      /refund of transaction 2 follows that of 2/,
    ],
    ['a refund with a field too many', [1, 7, [[2, 1, 1]]], /a refund has 3 fields/],
    ['a refund that does not fit 64 bits', [1, 7, [[2, 2n ** 64n]]], /refund gas/],
    ['a block number that does not fit 64 bits', [1, 2n ** 64n, [[2, 1]]], /block number/],
    ['a number with a leading zero', [1, Uint8Array.of(0, 7), [[2, 1]]], /block number/],
    ['a list as version', [[1], 7, [[2, 1]]], /version/],
  ]
  for (const [name, payload, message] of refused) {
    it(`has a payload that no block may hold: ${name}`, () => {
      assert.throws(() => decodePostExecPayload(rlpEncode(payload)), message)
      // Batches and blocks carry it all the same; the block is then invalid.
      assert.ok(isPostExec(decodeTransaction(rlpEncode(payload, 0x7d))))
    })
  }

  it('must hold one list and nothing after it', () => {
    for (const hex of ['0x7d', '0x7d01', '0x7d820101', '0x7dc0c0', '0x7dc101ff', '0x7dc2'])
      assert.throws(() => decodeTransaction(hexToBytes(hex)), { name: 'CodecError' }, hex)
  })

  it('cannot be submitted, and nobody signs it', () => {
    assert.throws(() => decodeSignedTransaction(postExecTransaction(PAYLOAD).raw), /only sequencers append it/)
    assert.deepEqual(recoverSender(postExecTransaction(PAYLOAD), createPureCrypto()), new Uint8Array(20))
  })

  // specs: protocol/lagoon/post-exec.md#generic-transaction-interface-representation
  it('is read from the object of other nodes, which has no field of a signed transaction', () => {
    const { hash } = postExecTransaction(PAYLOAD)
    const json = { type: '0x7d', hash, from: `0x${'00'.repeat(20)}`, gas: '0x0', value: '0x0', input: '0xcb0107c8c402825208c20401' }
    assert.deepEqual(parseTransactionJson(json).raw, postExecTransaction(PAYLOAD).raw)
    assert.throws(() => parseTransactionJson({ ...json, input: '0xcb0107c8c402825208c20402' }), /hash to/)
    assert.throws(() => parseTransactionJson({ ...json, input: '0x01' }), /input/)
  })
})
