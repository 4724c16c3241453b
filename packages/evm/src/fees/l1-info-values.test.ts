import assert from 'node:assert/strict'
import { createForkSchedule, type Fork, forksAtGenesis } from '@keelson/chainspec'
import {
  bigintToBytes,
  concatBytes,
  type DepositTransaction,
  decodeTransaction,
  hexToBytes,
  L1_BLOCK,
  L1_INFO_DEPOSITOR,
  l2Time,
} from '@keelson/primitives'
import { deposit, openTestBlock, opRules } from '../../../../test/support/evm-world.ts'
import { readL1BlockValues } from './l1-block-values.ts'
import { l1BlockValuesOfInfo } from './l1-info-values.ts'

const L1_BLOCK_BYTES = hexToBytes(L1_BLOCK)
const DEPOSITOR = hexToBytes(L1_INFO_DEPOSITOR)

/** Takes the calldata of all forks. */
function newestL1Block(): Uint8Array {
  const schedule = createForkSchedule({ times: { ...forksAtGenesis('isthmus'), jovian: 100 } })
  const [first] = schedule.transition(l2Time(98), l2Time(100)).upgradeTransactions
  const tx = decodeTransaction(first as Uint8Array) as DepositTransaction
  const { block } = openTestBlock(opRules('jovian'), [])
  const done = block.applyTransaction(tx, tx.from)
  assert.ok(done.kind === 'included' && done.contractAddress !== null)
  return block.session.code(done.contractAddress)
}

/** Fields of these widths in bytes, each with another value. */
function calldata(selector: string, ...widths: readonly number[]): Uint8Array {
  return concatBytes(hexToBytes(selector as `0x${string}`), ...widths.map((width, i) => bigintToBytes(BigInt(11 + i), width)))
}

const WORDS = [32, 32, 32, 32, 32, 32, 32, 32]
const PACKED = [4, 4, 8, 8, 8, 32, 32, 32, 32]
const FORMS: readonly (readonly [Fork, Uint8Array])[] = [
  ['regolith', calldata('0x015d8eb9', ...WORDS)],
  ['ecotone', calldata('0x440a5e20', ...PACKED)],
  ['fjord', calldata('0x440a5e20', ...PACKED)],
  ['isthmus', calldata('0x098999be', ...PACKED, 4, 8)],
  ['jovian', calldata('0x3db6be2b', ...PACKED, 4, 8, 2)],
  // The first block of a fork still has calldata of the fork before.
  ['ecotone', calldata('0x015d8eb9', ...WORDS)],
  ['isthmus', calldata('0x440a5e20', ...PACKED)],
  ['jovian', calldata('0x098999be', ...PACKED, 4, 8)],
]

describe('L1Block values of calldata', () => {
  for (const [fork, data] of FORMS) {
    it(`are those that the contract stores: ${data.length} bytes under the rules of ${fork}`, () => {
      const { block } = openTestBlock(opRules('jovian'), [{ address: L1_BLOCK_BYTES, nonce: 1n, code: newestL1Block() }])
      const done = block.applyTransaction(deposit({ from: DEPOSITOR, to: L1_BLOCK_BYTES, data, gasLimit: 1_000_000n }), DEPOSITOR)
      assert.ok(done.kind === 'included')
      assert.deepEqual(done.receipt.outcome, { status: 1 })
      const stored = readL1BlockValues((address, slot) => block.session.storage(address, slot), opRules(fork))
      assert.deepEqual(l1BlockValuesOfInfo(data, opRules(fork)), stored)
      assert.notEqual(stored.baseFeeWei, 0n)
    })
  }

  it('are unknown for calldata of another form', () => {
    const jovian = calldata('0x3db6be2b', ...PACKED, 4, 8, 2)
    for (const data of [new Uint8Array(0), jovian.subarray(0, -1), calldata('0x12345678', ...WORDS)])
      assert.equal(l1BlockValuesOfInfo(data, opRules('jovian')), null)
  })
})
