import assert from 'node:assert/strict'
import { createForkSchedule, type Fork, forksAtGenesis } from '@keelson/chainspec'
import {
  bigintToBytes,
  bytesToHex,
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

const L1_BLOCK_BYTES = hexToBytes(L1_BLOCK)
const DEPOSITOR = hexToBytes(L1_INFO_DEPOSITOR)

async function deployedL1Block(fork: Fork, before: Fork): Promise<Uint8Array> {
  const schedule = createForkSchedule({ times: { ...forksAtGenesis(before), [fork]: 100 } })
  const [first] = schedule.transition(l2Time(98), l2Time(100)).upgradeTransactions
  const tx = decodeTransaction(first as Uint8Array) as DepositTransaction
  const { block } = openTestBlock(opRules(fork), [])
  const done = block.applyTransaction(tx, tx.from)
  assert.ok(done.kind === 'included' && done.contractAddress !== null)
  return block.session.code(done.contractAddress)
}

const number = (value: bigint, bytes: number) => bigintToBytes(value, bytes)

describe('L1Block values', () => {
  it('are read where the contract writes them', async () => {
    const code = await deployedL1Block('jovian', 'isthmus')
    assert.ok(code.length > 0)
    const { block } = openTestBlock(opRules('jovian'), [{ address: L1_BLOCK_BYTES, nonce: 1n, code }])
    const data = concatBytes(
      hexToBytes('0x3db6be2b'),
      number(11n, 4),
      number(12n, 4),
      number(13n, 8),
      number(14n, 8),
      number(15n, 8),
      number(16n, 32),
      number(17n, 32),
      number(18n, 32),
      number(19n, 32),
      number(20n, 4),
      number(21n, 8),
      number(22n, 2),
    )
    const done = block.applyTransaction(deposit({ from: DEPOSITOR, to: L1_BLOCK_BYTES, data, gasLimit: 1_000_000n }), DEPOSITOR)
    assert.ok(done.kind === 'included')
    assert.deepEqual(done.receipt.outcome, { status: 1 }, done.error ?? bytesToHex(done.output))
    const values = readL1BlockValues((address, slot) => block.session.storage(address, slot), opRules('jovian'))
    assert.deepEqual(values, {
      baseFeeScalar: 11,
      blobBaseFeeScalar: 12,
      baseFeeWei: 16n,
      blobBaseFeeWei: 17n,
      overhead: 0n,
      scalar: 0n,
      operatorFeeScalar: 20,
      operatorFeeConstant: 21n,
      daFootprintGasScalar: 22,
    })
  })

  it('are read only from slots that the rules need', () => {
    const asked: string[] = []
    readL1BlockValues((_address, slot) => {
      asked.push(bytesToHex(slot.subarray(31)))
      return new Uint8Array(32).fill(1)
    }, opRules('fjord'))
    assert.deepEqual(asked.sort(), ['0x01', '0x03', '0x07'])
  })
})
