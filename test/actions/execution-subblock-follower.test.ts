/** specs: protocol/subblocks.md, protocol/lagoon/post-exec.md#subblocks */
import assert from 'node:assert/strict'
import { forksAtGenesis } from '@keelson/chainspec'
import {
  bytesToHex,
  encodePostExecPayload,
  type Hex,
  type PayloadEnvelope,
  postExecTransaction,
  type SignedTransaction,
  ZERO_HASH,
} from '@keelson/primitives'
import { createExecutionWorld } from '../support/execution-world.ts'
import { balanceOf, GENESIS_SEC, type Message, NO_LABELS, openPair, READER, RECIPIENT, WORLD } from '../support/subblock-pair.ts'

const ONES = `0x${'11'.repeat(32)}` as Hex

describe('subblocks on a follower', () => {
  it('are the pending block, with receipts, before the block is sealed', async () => {
    const { sequencer, follower, begin, send, deliver, seal } = await openPair()
    const id = await begin()
    const tx = sequencer.transfer(0, RECIPIENT, 7n)
    await send(tx)
    deliver()
    assert.deepEqual([await balanceOf(follower, 'latest'), await balanceOf(follower, 'pending')], [0n, 7n])
    assert.equal(BigInt(await follower.call('eth_call', { to: READER }, 'pending')), 7n)
    assert.equal(BigInt(await follower.call('eth_call', { to: READER }, 'latest')), 0n)
    assert.equal(await follower.call('eth_getTransactionCount', follower.accounts[0]?.address, 'pending'), '0x1')
    const pending = await follower.call('eth_getBlockByNumber', 'pending', false)
    assert.deepEqual([pending.number, pending.hash, pending.transactions.at(-1)], ['0x1', ZERO_HASH, tx.hash])
    const receipt = await follower.call('eth_getTransactionReceipt', tx.hash)
    assert.deepEqual([receipt.status, receipt.blockNumber, receipt.blockHash], ['0x1', '0x1', ZERO_HASH])
    assert.equal((await follower.call('eth_getTransactionByHash', tx.hash)).blockNumber, '0x1')
    assert.equal(await follower.call('eth_blockNumber'), '0x0')
    await assert.rejects(follower.call('eth_call', { to: READER }, ZERO_HASH), /header for hash not found/)
    // Wallets read the head after a receipt, so the node that they use gives receipts of sealed blocks only.
    assert.deepEqual([await sequencer.call('eth_getTransactionReceipt', tx.hash), await balanceOf(sequencer, 'pending')], [null, 0n])
    const block = await seal(id)
    for (const world of [sequencer, follower]) {
      assert.equal((await world.call('eth_getTransactionReceipt', tx.hash)).blockHash, block.hash)
      assert.equal(await balanceOf(world, 'latest'), 7n)
      assert.equal((await world.call('eth_getBlockByNumber', 'pending', false)).hash, block.hash)
    }
  })

  it('answer eth_sendRawTransactionSync while the block is open', async () => {
    const { sequencer, follower, begin, send, deliver } = await openPair()
    await begin()
    const tx = sequencer.transfer(0, RECIPIENT, 7n)
    const answer = follower.call('eth_sendRawTransactionSync', bytesToHex(tx.raw))
    await send(tx)
    deliver()
    const receipt = await answer
    assert.deepEqual([receipt.transactionHash, receipt.blockHash, receipt.blockNumber], [tx.hash, ZERO_HASH, '0x1'])
  })

  it('of a block whose parent is not here yet are kept until it is', async () => {
    const { sequencer, follower, begin, send, deliver, seal } = await openPair()
    const parent = await begin()
    deliver()
    const block = await seal(parent, null)
    await begin()
    await send(sequencer.transfer(0, RECIPIENT, 7n))
    deliver()
    assert.equal(await balanceOf(follower, 'pending'), 0n)
    const envelope = await sequencer.l2Source.payload(block.hash)
    assert.ok(envelope)
    await follower.engine.newPayload(envelope.payload, envelope.parentBeaconBlockRoot)
    await follower.engine.forkchoiceUpdated({ head: block.hash, ...NO_LABELS }, null)
    assert.equal(await balanceOf(follower, 'pending'), 7n)
  })

  it('restate the refunds of a post-execution transaction, which is the last of the block', async () => {
    const forks = forksAtGenesis('lagoon')
    const { sequencer, follower, begin, send, pass, deliver, warnings, verdicts } = await openPair({ forks })
    await begin()
    deliver()
    const steps = [
      [{ index: 1, gas: 2_000n }],
      [],
      [
        { index: 1, gas: 3_000n },
        { index: 3, gas: 1_000n },
      ],
    ]
    const sent: SignedTransaction[] = []
    for (const refunds of steps) {
      sent.push(sequencer.transfer(sent.length, RECIPIENT, 7n))
      const postExec = refunds.length === 0 ? null : postExecTransaction(encodePostExecPayload({ version: 1, blockNumber: 1n, refunds }))
      // A builder that knows nothing of the stream makes the block that the subblock describes.
      const builder = await createExecutionWorld({ ...WORLD, forks })
      const raw = [...sent, ...(postExec === null ? [] : [postExec])].map((tx) => tx.raw)
      const block = await builder.mine({ transactions: raw, noTxPool: true })
      await send(sent.at(-1) as SignedTransaction)
      await pass(200)
      deliver((message) => ({
        ...message,
        diff: {
          ...message.diff,
          gas_used: `0x${block.header.gasUsed.toString(16)}`,
          receipts_root: block.header.receiptsRoot,
          ...(postExec === null ? {} : { post_exec_tx: bytesToHex(postExec.raw) }),
        },
      }))
      assert.deepEqual(warnings(), [])
      const pending = await follower.call('eth_getBlockByNumber', 'pending', false)
      assert.deepEqual(
        pending.transactions,
        block.transactions.map(({ hash }) => hash),
      )
      for (const [i, tx] of sent.entries()) {
        const { gasUsed, opGasRefund } = await follower.call('eth_getTransactionReceipt', tx.hash)
        const refund = refunds.find(({ index }) => index === i + 1)?.gas ?? 0n
        assert.deepEqual([BigInt(gasUsed), BigInt(opGasRefund ?? 0)], [21_000n - refund, refund], `transaction ${i}`)
      }
      if (sent.length < steps.length) continue
      const { payload, parentBeaconBlockRoot } = (await builder.l2Source.payload(block.hash)) as PayloadEnvelope
      await follower.engine.newPayload(payload, parentBeaconBlockRoot)
      await follower.engine.forkchoiceUpdated({ head: block.hash, ...NO_LABELS }, null)
    }
    assert.deepEqual(await verdicts(), [1, 0, 0])
  })

  it('stay the pending block while only the safe and the finalized head move', async () => {
    const { sequencer, follower, begin, send, deliver, seal } = await openPair()
    const sealed = await seal(await begin())
    await begin()
    const tx = sequencer.transfer(0, RECIPIENT, 7n)
    await send(tx)
    deliver()
    const { hash } = sealed
    for (const [safe, finalized] of [
      [hash, ZERO_HASH],
      [hash, hash],
    ] as const) {
      await follower.engine.forkchoiceUpdated({ head: hash, safe, finalized }, null)
      assert.equal(follower.node.chain.label(finalized === hash ? 'finalized' : 'safe').hash, hash)
      assert.equal(await balanceOf(follower, 'pending'), 7n)
      assert.equal((await follower.call('eth_getTransactionReceipt', tx.hash))?.blockHash, ZERO_HASH)
    }
  })

  it('are superseded by a new first subblock', async () => {
    const { sequencer, follower, begin, send, deliver, pass } = await openPair()
    await begin()
    await send(sequencer.transfer(0, RECIPIENT, 7n))
    deliver()
    await pass(2_000)
    const other = sequencer.attributes({ timestampSec: GENESIS_SEC + 4 })
    await sequencer.engine.forkchoiceUpdated({ head: sequencer.genesis.hash, ...NO_LABELS }, { ...other, noTxPool: false })
    deliver()
    const { timestamp } = await follower.call('eth_getBlockByNumber', 'pending', false)
    assert.equal(Number(timestamp), GENESIS_SEC + 4)
  })

  const FAULTS: Readonly<Record<string, { change(message: Message): unknown; warning: RegExp }>> = {
    'no JSON object': { change: () => 'text', warning: /cannot be read: subblock: expected an object/ },
    'a gap in the index': { change: (m) => (m.index === 1 ? { ...m, index: 2 } : m), warning: /subblock 2 of block 1 does not follow/ },
    'another payload id': { change: (m) => (m.index === 1 ? { ...m, payload_id: '0x0102030405060708' } : m), warning: /does not follow/ },
    'another block number': {
      change: (m) => (m.index === 1 ? { ...m, metadata: { ...m.metadata, block_number: 2 } } : m),
      warning: /subblock 1 of block 2 does not follow/,
    },
    'a base twice': { change: (m) => ({ ...m, base: m.base ?? { ...BASE } }), warning: /cannot be read|does not follow/ },
    'no base': { change: ({ base, ...m }) => m, warning: /has no base that fits/ },
    'a wrong base fee': {
      change: (m) => (m.base === undefined ? m : { ...m, base: { ...m.base, base_fee_per_gas: '0x1' } }),
      warning: /block 1: the base fee is \d+ wei, and the first subblock says 1/,
    },
    'a wrong gas used': { change: withDiff({ gas_used: '0x1' }), warning: /block 1: gas used is \d+, and the subblock says 1/ },
    'a wrong receipts root': { change: withDiff({ receipts_root: ONES }), warning: /block 1: the receipts root is / },
    'an invalid transaction': {
      change: withDiff({ transactions: ['0x02'] }),
      warning: /cannot be read: diff.transactions\[0\]|cannot be read/,
    },
    'a post-execution transaction among the others': {
      change: withDiff({ transactions: ['0x7dc0'] }),
      warning: /diff\.transactions\[0\]: a post-execution transaction belongs in diff\.post_exec_tx/,
    },
    'a transaction twice': {
      change: (m) => (m.index === 1 ? { ...m, diff: { ...m.diff, transactions: [...m.diff.transactions, ...m.diff.transactions] } } : m),
      warning: /block 1: transaction 0x[0-9a-f]{64} cannot be included: nonce-too-low/,
    },
  }
  const BASE = { parent_hash: ONES }
  function withDiff(diff: object) {
    return (m: Message) => (m.index === 1 ? { ...m, diff: { ...m.diff, ...diff } } : m)
  }

  for (const [name, { change, warning }] of Object.entries(FAULTS))
    it(`with ${name} are ignored until the next block that a sealed block confirms`, async () => {
      const { sequencer, follower, begin, send, deliver, seal, warnings } = await openPair()
      let id = await begin()
      await send(sequencer.transfer(0, RECIPIENT, 7n))
      deliver(change)
      assert.ok(
        warnings().some((text) => warning.test(text)),
        warnings().join('\n'),
      )
      assert.equal(await balanceOf(follower, 'pending'), 0n)
      await seal(id)
      assert.equal(await balanceOf(follower, 'pending'), 7n)
      for (let round = 0; round < 2; round++) {
        id = await begin()
        await send(sequencer.transfer(0, RECIPIENT, 1n))
        deliver()
        if (round === 0) await seal(id)
      }
      assert.equal(await balanceOf(follower, 'pending'), 9n)
    })

  it('that a sealed block contradicts are not served until one confirms them again', async () => {
    const { sequencer, follower, begin, send, deliver, seal, verdicts, warnings } = await openPair()
    await begin()
    await send(sequencer.transfer(0, RECIPIENT, 7n))
    deliver()
    assert.equal(await balanceOf(follower, 'pending'), 7n)
    const other = await createExecutionWorld(WORLD)
    const block = await other.mine()
    const envelope = await other.l2Source.payload(block.hash)
    assert.ok(envelope)
    for (const world of [sequencer, follower]) {
      await world.engine.newPayload(envelope.payload, envelope.parentBeaconBlockRoot)
      await world.engine.forkchoiceUpdated({ head: block.hash, ...NO_LABELS }, null)
    }
    assert.deepEqual(await verdicts(), [0, 1, 0])
    assert.ok(warnings().some((text) => text.startsWith('a sealed block contradicts its subblocks')))
    const second = await begin()
    deliver()
    assert.equal((await follower.call('eth_getBlockByNumber', 'pending', false)).hash, block.hash)
    await seal(second)
    assert.deepEqual(await verdicts(), [1, 1, 0])
    await begin()
    deliver()
    assert.equal((await follower.call('eth_getBlockByNumber', 'pending', false)).number, '0x3')
  })

  it('that stall leave the head as the pending block, and the log says so once', async () => {
    const { follower, begin, seal, verdicts, warnings } = await openPair()
    for (let i = 0; i < 4; i++) await seal(await begin())
    assert.deepEqual(await verdicts(), [0, 0, 4])
    assert.equal(warnings().filter((text) => text.startsWith('the subblock stream is silent')).length, 1)
    assert.equal((await follower.call('eth_getBlockByNumber', 'pending', false)).number, '0x4')
  })

  it('that begin after the connection was lost wait for the next first subblock', async () => {
    const { sequencer, follower, begin, send, deliver } = await openPair()
    await begin()
    deliver()
    follower.node.subblocks?.lost()
    await send(sequencer.transfer(0, RECIPIENT, 7n))
    deliver()
    assert.equal(await balanceOf(follower, 'pending'), 0n)
  })
})
