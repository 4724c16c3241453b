import assert from 'node:assert/strict'
import { toAddress, toHash, ZERO_HASH } from '@keelson/primitives'
import { createFakeRpc } from '../fake-rpc.test-support.ts'
import { createChainAccount } from './chain-account.ts'
import { findLoggedReceipt } from './find-transaction.ts'

const HASH = toHash(`0x${'ab'.repeat(32)}`)
const SEALED = toHash(`0x${'cd'.repeat(32)}`)
const ACCOUNT = toAddress(`0x${'11'.repeat(20)}`)

const rpcWith = (blockHash: string) =>
  createFakeRpc({
    eth_getTransactionReceipt: () => ({
      ...{ transactionHash: HASH, blockHash, blockNumber: '0x7', from: ACCOUNT, status: '0x1' },
      ...{ gasUsed: '0x5208', effectiveGasPrice: '0x1', logs: [] },
    }),
  })

/** Each reader of receipts, with the hash of the block that it finds, or null. */
const READERS: Readonly<Record<string, (rpc: ReturnType<typeof rpcWith>) => Promise<string | null>>> = {
  'the account of a transaction manager': async (rpc) =>
    (await createChainAccount('L2', rpc, ACCOUNT).receipts([HASH]))[0]?.blockHash ?? null,
  'the search for a transaction': async (rpc) => (await findLoggedReceipt(rpc, HASH))?.block.hash ?? null,
}

describe('a receipt of the block that is being built', () => {
  for (const [name, read] of Object.entries(READERS))
    it(`does not exist for ${name} until the block is sealed`, async () => {
      assert.equal(await read(rpcWith(ZERO_HASH)), null)
      assert.equal(await read(rpcWith(SEALED)), SEALED)
    })
})
