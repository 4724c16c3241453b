import assert from 'node:assert/strict'
import type { IncludedTx } from '@keelson/evm'
import { hexToBytes, type Transaction, toAddress, toHash } from '@keelson/primitives'
import { executedReceipt, statedReceipt } from './op-exec-receipts.ts'

const HASH = `0x${'11'.repeat(32)}`
const ADDRESS = `0x${'22'.repeat(20)}`
const LOG = { address: ADDRESS, topics: [HASH], data: '0x01' }
const STATED = {
  txHash: HASH,
  type: '0x2',
  status: '0x1',
  gasUsed: '0x5208',
  cumulativeGasUsed: '0x5209',
  logs: [LOG],
  l1Fee: '0x7',
}
const TX = { hash: toHash(HASH) } as Transaction
const EXECUTED = {
  gasUsed: 21_000n,
  l1Fee: { l1FeeWei: 7n },
  receipt: {
    type: 2,
    outcome: { status: 1 },
    cumulativeGasUsed: 21_001n,
    logs: [{ address: toAddress(ADDRESS), topics: [toHash(HASH)], data: hexToBytes('0x01') }],
    depositNonce: null,
    depositReceiptVersion: null,
  },
} as unknown as IncludedTx

describe('the comparison of receipts of real blocks', () => {
  const executed = executedReceipt(TX, EXECUTED)

  it('detects another status, log, type or fee', () => {
    assert.deepEqual(executed, statedReceipt(STATED))
    const changes = [
      { status: '0x0' },
      { logs: [] },
      { logs: [{ ...LOG, data: '0x02' }] },
      { logs: [{ ...LOG, topics: [] }] },
      { type: '0x1' },
      { l1Fee: '0x8' },
      { gasUsed: '0x5209' },
      { cumulativeGasUsed: '0x5208' },
      { depositNonce: '0x1' },
    ]
    for (const change of changes) assert.notDeepEqual(executed, statedReceipt({ ...STATED, ...change }), JSON.stringify(change))
  })
})
