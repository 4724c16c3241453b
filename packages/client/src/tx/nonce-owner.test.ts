import assert from 'node:assert/strict'
import { toAddress, toHash } from '@keelson/primitives'
import { rpcFailure } from '../fake-rpc.test-support.ts'
import { createChainAccount } from './chain-account.ts'
import { createFakeL1 } from './fake-l1.test-support.ts'
import { findNonceOwner, judgeNonce } from './nonce-owner.ts'

const owner = toAddress(`0x${'ab'.repeat(20)}`)

describe('the owner of a nonce', () => {
  for (const depth of [1, 2, 3, 17, 100]) {
    it(`is found ${depth} blocks down, in few questions`, async () => {
      const l1 = createFakeL1(owner)
      for (let i = 0; i < 5; i++) l1.mineForeign()
      l1.mine(7)
      l1.mineForeign()
      const block = l1.blockCount - 1
      l1.mine(depth - 1)
      for (let i = 0; i < 3; i++) l1.mineForeign()
      const head = l1.blockCount - 1
      const found = await findNonceOwner(createChainAccount('L1', l1.rpc, owner), 5n, head)
      assert.equal(found.kind, 'transaction')
      assert.equal(found.kind === 'transaction' && found.blockNumber, block)
      assert.ok(l1.rpc.calls.length <= 20, `${l1.rpc.calls.length} calls`)
    })
  }

  it('is nobody while the nonce is free', async () => {
    const l1 = createFakeL1(owner)
    l1.mine(3)
    assert.deepEqual(await findNonceOwner(createChainAccount('L1', l1.rpc, owner), 0n, 3), { kind: 'nobody' })
  })

  it('is not known when the block does not show it, or the node has no state', async () => {
    const l1 = createFakeL1(owner)
    l1.mineForeign()
    l1.mine(2)
    const another = createChainAccount('L1', l1.rpc, toAddress(`0x${'cd'.repeat(20)}`))
    assert.equal((await findNonceOwner(another, 0n, 3)).kind, 'unknown')
    l1.rpc.methods.eth_getTransactionCount = () => {
      throw rpcFailure(-32000, 'missing trie node')
    }
    assert.equal((await findNonceOwner(another, 0n, 3)).kind, 'unknown')
  })

  it('counts as another only as deep as ours would have to be', async () => {
    const l1 = createFakeL1(owner)
    l1.mineForeign()
    const account = createChainAccount('L1', l1.rpc, owner)
    const entry = { nonce: 0n, attempts: [toHash(`0x${'11'.repeat(32)}`)] }
    assert.equal((await judgeNonce(account, entry, 1, 2)).kind, 'open')
    l1.mine()
    const verdict = await judgeNonce(account, entry, 2, 2)
    assert.equal(verdict.kind, 'another')
    const own = verdict.kind === 'another' ? { nonce: 0n, attempts: [...entry.attempts, verdict.hash] } : entry
    assert.equal((await judgeNonce(account, own, 2, 2)).kind, 'ours')
  })
})
