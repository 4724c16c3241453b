import assert from 'node:assert/strict'
import { toAddress, toHash } from '@keelson/primitives'
import { createFakeRpc } from '../fake-rpc.test-support.ts'
import { getAccountProof } from '../l2/account-proof.ts'
import { findLoggedReceipt, isKnownTransaction } from './find-transaction.ts'

const word = (byte: string) => toHash(`0x${byte.repeat(32)}`)
const account = toAddress(`0x${'aa'.repeat(20)}`)
const receipt = {
  transactionHash: word('01'),
  blockHash: word('02'),
  blockNumber: '0x10',
  from: account,
  status: '0x0',
  gasUsed: '0x5208',
  logs: [{ address: account, topics: [word('03')], data: '0x0102', logIndex: '0x7' }],
}

describe('a transaction by its hash', () => {
  it('is in a block, with its logs and their places, or in none', async () => {
    const rpc = createFakeRpc({ eth_getTransactionReceipt: (hash: string) => (hash === word('01') ? receipt : null) })
    assert.deepEqual(await findLoggedReceipt(rpc, word('01')), {
      transactionHash: word('01'),
      block: { number: 16, hash: word('02') },
      from: account,
      succeeded: false,
      gasUsed: 21_000n,
      logs: [{ index: 7, log: { address: account, topics: [word('03')], data: Uint8Array.of(1, 2) } }],
    })
    assert.equal(await findLoggedReceipt(rpc, word('09')), null)
  })

  it('is known while it waits in the pool', async () => {
    const rpc = createFakeRpc({ eth_getTransactionByHash: (hash: string) => (hash === word('01') ? { blockNumber: null } : null) })
    assert.equal(await isKnownTransaction(rpc, word('01')), true)
    assert.equal(await isKnownTransaction(rpc, word('09')), false)
  })

  it('is refused when the node does not answer in the form of a receipt', async () => {
    const rpc = createFakeRpc({ eth_getTransactionReceipt: () => ({ ...receipt, logs: [{ address: account }] }) })
    await assert.rejects(findLoggedReceipt(rpc, word('01')), { code: 'client/bad-answer' })
  })
})

describe('proofs of an account', () => {
  it('have the storage root and the nodes of each slot', async () => {
    const storageProof = [{ key: word('05'), value: '0x1', proof: ['0x0a', '0x0b0c'] }]
    const rpc = createFakeRpc({ eth_getProof: () => ({ storageHash: word('04'), storageProof }) })
    assert.deepEqual(await getAccountProof(rpc, account, [word('05')], 9), {
      storageRoot: word('04'),
      storage: [{ value: 1n, nodes: [Uint8Array.of(10), Uint8Array.of(11, 12)] }],
    })
    assert.deepEqual(rpc.calls[0]?.params, [account, [word('05')], '0x9'])
  })
})
