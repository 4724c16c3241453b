import assert from 'node:assert/strict'
import { createForkSchedule, forksAtGenesis } from '@keelson/chainspec'
import { hexToBytes, l2Time, type PayloadAttributes, SEQUENCER_FEE_VAULT, toHash, ZERO_ADDRESS, ZERO_HASH } from '@keelson/primitives'
import { makePayload } from '../../../../../test/support/payloads.ts'
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
const CONSTANTS = { baseFeeCanyon: { denominator: 250n, elasticity: 6n } }
const rulesOf = (fork: Parameters<typeof forksAtGenesis>[0]) =>
  createForkSchedule({ times: forksAtGenesis(fork), constants: CONSTANTS }).blockRules(l2Time(1_800_000_010))
const rules = rulesOf('jovian')
const withExtraData = (hex: string) => ({ ...envelope, payload: { ...envelope.payload, extraData: hexToBytes(hex) } })
const OTHER_HASH = toHash(`0x${'11'.repeat(32)}`)

describe('consolidation', () => {
  it('accepts a block that matches in every field', () => {
    assert.equal(attributesMismatch(attributes, ZERO_HASH, envelope, rules), null)
  })

  it('accepts only the chain constants if the attributes have zero EIP-1559 parameters', () => {
    const zeros = { ...attributes, eip1559Params: new Uint8Array(8) }
    assert.equal(attributesMismatch(zeros, ZERO_HASH, envelope, rules), null)
    for (const stated of ['000000fb00000006', '000000fa00000007', '0000000000000000']) {
      const other = withExtraData(`0x01${stated}${'00'.repeat(8)}`)
      assert.equal(
        attributesMismatch(zeros, ZERO_HASH, other, rules),
        `EIP-1559 parameters: L1 demands 0x000000fa00000006, the block has 0x${stated}`,
      )
    }
  })

  it("accepts extra data only of the block's version, and none before Holocene", () => {
    const version0 = withExtraData('0x00000000fa00000006')
    assert.match(String(attributesMismatch(attributes, ZERO_HASH, version0, rules)), /^extra data: L1 demands version 1/)
    const before = { ...attributes, minBaseFeeWei: null }
    assert.equal(attributesMismatch(before, ZERO_HASH, version0, rulesOf('isthmus')), null)
    assert.match(String(attributesMismatch(before, ZERO_HASH, envelope, rulesOf('isthmus'))), /^extra data: L1 demands version 0/)
    const none = { ...before, eip1559Params: null }
    assert.match(String(attributesMismatch(none, ZERO_HASH, version0, rulesOf('granite'))), /^extra data: L1 demands none/)
    assert.equal(attributesMismatch(none, ZERO_HASH, withExtraData('0x'), rulesOf('granite')), null)
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
      assert.ok(attributesMismatch({ ...attributes, ...change }, ZERO_HASH, envelope, rules)?.startsWith(name))
    })
  }

  it('reports another parent', () => {
    assert.ok(attributesMismatch(attributes, OTHER_HASH, envelope, rules)?.startsWith('parent hash'))
  })
})
