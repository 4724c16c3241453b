import assert from 'node:assert/strict'
import {
  type Hash,
  L2_TO_L1_MESSAGE_PASSER,
  type L2BlockRef,
  l2Time,
  outputAtBlockToJson,
  payloadHash,
  type SyncStatus,
  syncStatusToJson,
  toHash,
  ZERO_HASH,
  ZERO_L1_REF,
  ZERO_L2_REF,
} from '@keelson/primitives'
import { createFakeRpc, type FakeRpc, rpcFailure } from '../fake-rpc.test-support.ts'
import { blockJson, sampleBlock, sampleTransaction } from '../sample-block.test-support.ts'
import { createL2BlockSource } from './l2-block-source.ts'
import { createRollupClient } from './rollup-client.ts'

describe('L2 block source', () => {
  const block = sampleBlock(9, ZERO_HASH, [sampleTransaction(3n)])
  const old = sampleBlock(2, ZERO_HASH, [], { requestsHash: null })
  let rpc: FakeRpc
  beforeEach(() => {
    rpc = createFakeRpc({
      eth_getBlockByNumber: (at: string, full: boolean) => ({ latest: blockJson(block, full), '0x2': blockJson(old, full) })[at] ?? null,
      eth_getBlockByHash: (hash: Hash, full: boolean) => (hash === block.hash ? blockJson(block, full) : null),
    })
  })

  it('gives payloads that hash to their block, by label, number and hash', async () => {
    const source = createL2BlockSource(rpc)
    const envelope = await source.payload('unsafe')
    assert.ok(envelope !== null)
    assert.equal(payloadHash(envelope.payload, envelope.parentBeaconBlockRoot), block.hash)
    assert.equal(envelope.payload.withdrawalsRoot, block.header.withdrawalsRoot)
    assert.equal((await source.payload(2))?.payload.withdrawalsRoot, null)
    assert.equal(await source.payload('finalized'), null)
    assert.equal(await source.payload(toHash(`0x${'44'.repeat(32)}`)), null)
  })

  it('keeps blocks it has seen by their hash', async () => {
    const source = createL2BlockSource(rpc)
    await source.payload('unsafe')
    await source.payload(block.hash)
    assert.equal(rpc.calls.length, 1)
  })

  it('refuses blocks that do not verify', async () => {
    rpc.methods = { eth_getBlockByNumber: (_at: string, full: boolean) => ({ ...blockJson(block, full), transactions: [] }) }
    await assert.rejects(createL2BlockSource(rpc).payload('unsafe'), { code: 'client/bad-answer', severity: 'temporary' })
    rpc.methods = { eth_getBlockByHash: (_hash: Hash, full: boolean) => blockJson(block, full) }
    await assert.rejects(createL2BlockSource(rpc).payload(old.hash), { code: 'client/block-mismatch' })
  })

  it('rejects and does not cache a block with a list of withdrawals that its hash does not cover', async () => {
    const source = createL2BlockSource(rpc)
    const withdrawal = { index: '0x0', validatorIndex: '0x0', address: `0x${'00'.repeat(20)}`, amount: '0x0' }
    const honest = rpc.methods
    for (const withdrawals of [[withdrawal], null]) {
      rpc.methods = { eth_getBlockByHash: (_hash: Hash, full: boolean) => ({ ...blockJson(block, full), withdrawals }) }
      await assert.rejects(source.payload(block.hash), { code: 'client/bad-answer', severity: 'temporary' })
    }
    rpc.methods = honest
    assert.deepEqual((await source.payload(block.hash))?.payload.withdrawals, [])
  })

  it('asks for the storage root of the message passer at a block', async () => {
    const root = toHash(`0x${'55'.repeat(32)}`)
    rpc.methods = { eth_getProof: () => ({ storageHash: root }) }
    assert.equal(await createL2BlockSource(rpc).messagePasserStorageRoot(block.hash), root)
    assert.deepEqual(rpc.calls[0]?.params, [L2_TO_L1_MESSAGE_PASSER, [], { blockHash: block.hash }])
    rpc.methods = {
      eth_getProof: () => {
        throw rpcFailure(-32000, 'missing trie node')
      },
    }
    assert.equal(await createL2BlockSource(rpc).messagePasserStorageRoot(block.hash), null)
  })
})

describe('rollup client', () => {
  const unsafeL2: L2BlockRef = {
    hash: toHash(`0x${'66'.repeat(32)}`),
    number: 4,
    parentHash: ZERO_HASH,
    timestampSec: l2Time(8),
    l1Origin: { hash: ZERO_HASH, number: 1 },
    sequenceNumber: 2,
  }
  const status: SyncStatus = {
    currentL1: ZERO_L1_REF,
    headL1: ZERO_L1_REF,
    safeL1: ZERO_L1_REF,
    finalizedL1: ZERO_L1_REF,
    unsafeL2,
    safeL2: ZERO_L2_REF,
    finalizedL2: ZERO_L2_REF,
    pendingSafeL2: ZERO_L2_REF,
    queuedUnsafeL2: null,
  }
  const output = { outputRoot: ZERO_HASH, stateRoot: ZERO_HASH, withdrawalStorageRoot: ZERO_HASH, block: unsafeL2, syncStatus: status }

  it('uses the neutral names', async () => {
    const rpc = createFakeRpc({
      rollup_syncStatus: () => syncStatusToJson(status),
      rollup_outputAtBlock: () => outputAtBlockToJson(output),
    })
    const rollup = createRollupClient(rpc)
    assert.deepEqual(await rollup.syncStatus(), status)
    assert.deepEqual(await rollup.outputAtBlock(4), output)
    await rollup.outputAtBlock('unsafe')
    assert.deepEqual(
      rpc.calls.map(({ params }) => params),
      [[], ['0x4'], ['latest']],
    )
  })

  it('refuses the output of another block than was asked for', async () => {
    const rollup = createRollupClient(createFakeRpc({ rollup_outputAtBlock: () => outputAtBlockToJson(output) }))
    await assert.rejects(rollup.outputAtBlock(5), { code: 'client/bad-answer', message: /block 5 was asked for, and that of block 4 came/ })
  })

  it('falls back to the names of other nodes, and remembers', async () => {
    const rpc = createFakeRpc({ optimism_syncStatus: () => syncStatusToJson(status) })
    const rollup = createRollupClient(rpc)
    await rollup.syncStatus()
    await rollup.syncStatus()
    assert.deepEqual(
      rpc.calls.map(({ method }) => method),
      ['rollup_syncStatus', 'optimism_syncStatus', 'optimism_syncStatus'],
    )
  })

  it('refuses an answer that cannot be read', async () => {
    const rollup = createRollupClient(createFakeRpc({ rollup_syncStatus: () => ({ unsafe_l2: {} }) }))
    await assert.rejects(rollup.syncStatus(), { code: 'client/bad-answer', severity: 'temporary' })
  })
})
