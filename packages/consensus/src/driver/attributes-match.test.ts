import assert from 'node:assert/strict'
import { type PayloadAttributes, SEQUENCER_FEE_VAULT, toHash, ZERO_ADDRESS, ZERO_HASH } from '@keelson/primitives'
import { makePayload } from '../../../../test/support/payloads.ts'
import { attributesMismatch } from './attributes-match.ts'

const TX = Uint8Array.of(2, 1, 2, 3)
const envelope = makePayload({
  number: 5,
  parentHash: ZERO_HASH,
  timestampSec: 1_800_000_010,
  l1Origin: { hash: ZERO_HASH, number: 1 },
  sequenceNumber: 0,
  transactions: [TX],
})

const attributes: PayloadAttributes = {
  timestampSec: 1_800_000_010,
  prevRandao: ZERO_HASH,
  feeRecipient: SEQUENCER_FEE_VAULT,
  withdrawals: [],
  parentBeaconBlockRoot: ZERO_HASH,
  transactions: [...envelope.payload.transactions],
  noTxPool: true,
  gasLimit: 30_000_000n,
  eip1559Params: Uint8Array.of(0, 0, 0, 250, 0, 0, 0, 6),
  minBaseFeeWei: 0n,
}
const OTHER_HASH = toHash(`0x${'11'.repeat(32)}`)

describe('consolidation', () => {
  it('takes a block that has every field', () => {
    assert.equal(attributesMismatch(attributes, ZERO_HASH, envelope), null)
  })

  it('matches any parameters where L1 leaves them to the chain', () => {
    assert.equal(attributesMismatch({ ...attributes, eip1559Params: new Uint8Array(8) }, ZERO_HASH, envelope), null)
  })

  const differences: readonly (readonly [string, Partial<PayloadAttributes>])[] = [
    ['timestamp', { timestampSec: 1 }],
    ['prevRandao', { prevRandao: OTHER_HASH }],
    ['fee recipient', { feeRecipient: ZERO_ADDRESS }],
    ['gas limit', { gasLimit: 1n }],
    ['parent beacon block root', { parentBeaconBlockRoot: OTHER_HASH }],
    ['number of withdrawals', { withdrawals: null }],
    ['number of transactions', { transactions: [] }],
    ['transaction 1', { transactions: [envelope.payload.transactions[0] as Uint8Array, Uint8Array.of(2, 9, 9, 9)] }],
    ['EIP-1559 parameters', { eip1559Params: Uint8Array.of(0, 0, 0, 251, 0, 0, 0, 6) }],
    ['minimum base fee', { minBaseFeeWei: 1n }],
  ]
  for (const [name, change] of differences) {
    it(`names a difference in ${name}`, () => {
      assert.ok(attributesMismatch({ ...attributes, ...change }, ZERO_HASH, envelope)?.startsWith(name))
    })
  }

  it('names another parent', () => {
    assert.ok(attributesMismatch(attributes, OTHER_HASH, envelope)?.startsWith('parent hash'))
  })
})
