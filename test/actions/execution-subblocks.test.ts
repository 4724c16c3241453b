/** specs: protocol/subblocks.md, protocol/lagoon/post-exec.md#subblocks */
import assert from 'node:assert/strict'
import { forksAtGenesis } from '@keelson/chainspec'
import {
  type Block,
  bytesToHex,
  encodePostExecPayload,
  type Hex,
  hexToBytes,
  type PayloadEnvelope,
  type PayloadId,
  postExecTransaction,
  type SignedTransaction,
  toAddress,
  ZERO_HASH,
} from '@keelson/primitives'
import { createManualClock, createMetrics, nextTurn } from '@keelson/runtime'
import { createExecutionWorld, type ExecutionWorld, type ExecutionWorldOptions } from '../support/execution-world.ts'
import { createRecordingLogger } from '../support/recording-logger.ts'

const NO_LABELS = { safe: ZERO_HASH, finalized: ZERO_HASH }
const GENESIS_SEC = 1_700_000_000
const RECIPIENT = '0x00000000000000000000000000000000000000aa'
const ONES = `0x${'11'.repeat(32)}` as Hex
/** Returns the balance of RECIPIENT. */
const READER = toAddress('0x00000000000000000000000000000000000c0de7')
const READER_CODE = hexToBytes(`0x73${RECIPIENT.slice(2)}3160005260206000f3`)
const WORLD: ExecutionWorldOptions = {
  genesisTimestampSec: GENESIS_SEC,
  alloc: [{ address: READER, nonce: 1n, balanceWei: 0n, code: READER_CODE, storage: [] }],
}

// biome-ignore lint/suspicious/noExplicitAny: a message of any shape, picked apart by the test
type Message = any

interface Pair {
  readonly sequencer: ExecutionWorld
  readonly follower: ExecutionWorld
  readonly stream: string[]
  readonly warnings: () => readonly string[]
  verdicts(): Promise<readonly number[]>
  begin(): Promise<PayloadId>
  send(tx: SignedTransaction): Promise<void>
  /** Moves both clocks. */
  pass(ms: number): Promise<void>
  /** Hands the follower what was streamed since the last time. */
  deliver(change?: (message: Message) => unknown): void
  /** Seals the block; null: the follower does not hear of it. */
  seal(id: PayloadId, follower?: ExecutionWorld | null): Promise<Block>
}

async function openPair(options: ExecutionWorldOptions = {}): Promise<Pair> {
  const stream: string[] = []
  const clock = createManualClock(GENESIS_SEC * 1000)
  const log = createRecordingLogger()
  const metrics = createMetrics('execution')
  const listeners = { count: 1, publish: (text: string) => void stream.push(text) }
  const shared = { ...WORLD, ...options, clock }
  const sequencer = await createExecutionWorld({ ...shared, subblocks: { listeners, follows: false } })
  const follower = await createExecutionWorld({ ...shared, subblocks: { listeners: null, follows: true }, log, metrics })
  let delivered = 0
  const settle = async () => {
    for (let i = 0; i < 8; i++) await nextTurn()
  }
  return {
    sequencer,
    follower,
    stream,
    warnings: () =>
      log.lines.filter(({ level }) => level === 'warn').map(({ message, fields }) => `${message} ${String(fields.reason ?? '')}`),
    async verdicts() {
      const { text } = await metrics.render()
      return ['confirmed', 'contradicted', 'missed'].map((verdict) =>
        Number(new RegExp(`subblock_blocks_total\\{verdict="${verdict}"\\} (\\d+)`).exec(text)?.[1] ?? Number.NaN),
      )
    },
    async begin() {
      const { hash } = sequencer.node.chain.label('unsafe')
      const { payloadId } = await sequencer.engine.forkchoiceUpdated({ head: hash, ...NO_LABELS }, sequencer.attributes())
      assert.ok(payloadId)
      await settle()
      return payloadId
    },
    async send(tx) {
      const verdict = await sequencer.node.pool.add(tx, 'local')
      assert.notEqual(verdict.kind, 'rejected', JSON.stringify(verdict))
      await settle()
    },
    async pass(ms) {
      await clock.advance(ms)
      await settle()
    },
    deliver(change = (message) => message) {
      for (const text of stream.slice(delivered)) follower.node.subblocks?.receive(JSON.stringify(change(JSON.parse(text))))
      delivered = stream.length
    },
    async seal(id, to = follower) {
      const { payload, parentBeaconBlockRoot } = await sequencer.engine.getPayload(id)
      if (clock.nowMs() < payload.timestampSec * 1000) await clock.advanceTo(payload.timestampSec * 1000)
      for (const world of to === null ? [sequencer] : [sequencer, to]) {
        assert.equal((await world.engine.newPayload(payload, parentBeaconBlockRoot)).status, 'VALID')
        await world.engine.forkchoiceUpdated({ head: payload.blockHash, ...NO_LABELS }, null)
      }
      await settle()
      return sequencer.node.chain.block(payload.blockHash) as Block
    },
  }
}

const parsed = (stream: readonly string[]): Message[] => stream.map((text) => JSON.parse(text))
const balanceOf = async (world: ExecutionWorld, tag: string) => BigInt(await world.call('eth_getBalance', RECIPIENT, tag))

describe('subblocks of a sequencer', () => {
  it('begin with the deposits and the properties of the block, and go on with what was added', async () => {
    const { sequencer, stream, begin, send, seal } = await openPair()
    const parent = sequencer.node.chain.label('unsafe')
    const id = await begin()
    const tx = sequencer.transfer(0, RECIPIENT, 7n)
    await send(tx)
    const block = await seal(id)
    const [first, second] = parsed(stream)
    assert.equal(stream.length, 2)
    assert.deepEqual([first.payload_id, first.index, second.payload_id, second.index], [id, 0, id, 1])
    assert.deepEqual(first.base, {
      parent_beacon_block_root: ZERO_HASH,
      parent_hash: parent.hash,
      fee_recipient: block.header.feeRecipient,
      prev_randao: ZERO_HASH,
      block_number: '0x1',
      gas_limit: `0x${block.header.gasLimit.toString(16)}`,
      timestamp: `0x${block.header.timestampSec.toString(16)}`,
      extra_data: bytesToHex(block.header.extraData),
      base_fee_per_gas: `0x${block.header.baseFeeWei?.toString(16)}`,
    })
    assert.ok(!('base' in second))
    assert.deepEqual(first.diff.transactions, [bytesToHex(block.transactions[0]?.raw as Uint8Array)])
    assert.deepEqual(second.diff.transactions, [bytesToHex(tx.raw)])
    for (const { diff, metadata } of [first, second]) {
      assert.deepEqual([diff.state_root, diff.block_hash, diff.withdrawals_root, diff.withdrawals], [ZERO_HASH, ZERO_HASH, ZERO_HASH, []])
      assert.ok(!('post_exec_tx' in diff))
      assert.equal(metadata.block_number, 1)
    }
    assert.equal(BigInt(second.diff.gas_used), block.header.gasUsed)
    assert.equal(second.diff.receipts_root, block.header.receiptsRoot)
    assert.equal(second.diff.logs_bloom, bytesToHex(block.header.logsBloom))
    assert.equal(BigInt(second.diff.blob_gas_used), block.header.blobGasUsed)
    assert.equal(BigInt(second.metadata.new_account_balances[RECIPIENT]), 7n)
    const sealed = await sequencer.call('eth_getTransactionReceipt', tx.hash)
    assert.deepEqual(second.metadata.receipts, { [tx.hash]: { ...sealed, blockHash: ZERO_HASH } })
  })

  it('come at once when idle and every 200 ms when busy, and hold the transactions of the sealed block in its order', async () => {
    const { sequencer, stream, begin, send, pass, seal } = await openPair()
    const id = await begin()
    await pass(200)
    for (let i = 0; i < 12; i++) {
      await send(sequencer.transfer(i % 3, RECIPIENT, BigInt(i + 1)))
      await pass(70)
    }
    const block = await seal(id)
    const messages = parsed(stream)
    assert.deepEqual(
      messages.map(({ index }) => index),
      [...messages.keys()],
    )
    assert.ok(messages.length >= 5 && messages.length <= 7, `${messages.length} subblocks`)
    const streamed = messages.flatMap(({ diff }) => diff.transactions)
    assert.deepEqual(
      streamed,
      block.transactions.map(({ raw }) => bytesToHex(raw)),
    )
  })

  it('release the gas of the block over its time, so that a late transaction that pays more finds room', async () => {
    const { sequencer, stream, begin, send, pass, seal } = await openPair({ gasLimit: 1_200_000n, forks: forksAtGenesis('isthmus') })
    const id = await begin()
    for (let i = 0; i < 60; i++) await send(sequencer.transfer(i % 8, RECIPIENT, 1n, { tipWei: 5n }))
    for (let i = 0; i < 3; i++) await pass(200)
    const late = sequencer.transfer(9, RECIPIENT, 9n, { tipWei: 2_000_000_000n })
    await send(late)
    for (let i = 0; i < 6; i++) await pass(200)
    const block = await seal(id)
    const counts = parsed(stream).map(({ diff }) => diff.transactions.length)
    assert.ok(Math.max(...counts) <= 12, `${counts} transactions in the subblocks`)
    assert.ok(block.transactions.some(({ hash }) => hash === late.hash))
    assert.ok(block.header.gasUsed > (block.header.gasLimit * 8n) / 10n, `only ${block.header.gasUsed} gas`)
  })

  it('are not published for blocks without the pool, which followers build too', async () => {
    const { sequencer, stream } = await openPair()
    await sequencer.mine({ noTxPool: true })
    assert.deepEqual(stream, [])
  })
})

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
