import assert from 'node:assert/strict'
import { type ForkLimit, forkLimitOf } from '@keelson/chainspec'
import { encodeProposeL2Output, OUTPUT_ORACLE_CALLS } from '@keelson/contracts'
import {
  bigintToBytes,
  bytesToHex,
  concatBytes,
  type Hash,
  hexToBytes,
  l2Time,
  type OutputAtBlock,
  outputRootV0,
  type SyncStatus,
  toAddress,
  toHash,
  ZERO_HASH,
} from '@keelson/primitives'
import { createManualClock, createMetrics, type RpcContext } from '@keelson/runtime'
import { createRecordingLogger } from '../../../test/support/recording-logger.ts'
import type { ProposalReceipt } from './ports.ts'
import { createProposer, type Proposer } from './proposer.ts'

const oracle = toAddress(`0x${'0a'.repeat(20)}`)
const account = toAddress(`0x${'0b'.repeat(20)}`)
const hash = (n: number) => toHash(new Uint8Array(32).fill(n))
const L2_BASE = 10
const INTERVAL = 10
const context = {} as RpcContext

function createScene() {
  const clock = createManualClock(1_000_000)
  const log = createRecordingLogger()
  let l1Hashes: Hash[] = Array.from({ length: 10 }, (_, n) => hash(100 + n))
  let landed: { readonly l2: number; readonly block: number; readonly data: string }[] = []
  let waiting: { readonly l2: number; readonly data: string; settle(receipt: ProposalReceipt): void }[] = []
  const l1Ref = (number: number) => ({
    hash: l1Hashes[number] ?? ZERO_HASH,
    number,
    parentHash: l1Hashes[number - 1] ?? ZERO_HASH,
    timestampSec: 1000 + 4 * number,
  })
  const l2Ref = (number: number) => ({
    hash: hash(number % 256),
    number,
    parentHash: hash((number - 1) % 256),
    timestampSec: l2Time(1000 + 2 * number),
    l1Origin: { hash: hash(103), number: 3 },
    sequenceNumber: 0,
  })
  const scene = {
    clock,
    log,
    safe: 40,
    finalized: 30,
    currentL1: 9,
    proposer: account,
    oracleLags: false,
    shown: L2_BASE,
    sent: [] as number[],
    mineAtOnce: true,
    reverts: false,
    output: (output: OutputAtBlock): OutputAtBlock => output,
    left: [] as { label: string; receipt: Promise<ProposalReceipt> }[],
    l1Hashes: () => l1Hashes,
    landed: () => landed.map(({ l2 }) => l2),
    data: () => landed.map(({ data }) => data),
    mine() {
      l1Hashes = [...l1Hashes, hash(100 + l1Hashes.length)]
      const block = l1Hashes.length - 1
      for (const entry of waiting) {
        const succeeded = !scene.reverts
        if (succeeded) landed.push({ l2: entry.l2, block, data: entry.data })
        entry.settle({ succeeded, transactionHash: hash(5), blockNumber: block, blockHash: l1Hashes[block] as Hash })
      }
      waiting = []
    },
    reorg(depth: number) {
      const from = l1Hashes.length - depth
      l1Hashes = l1Hashes.map((old, n) => (n < from ? old : hash(200 + n)))
      landed = landed.filter(({ block }) => block < from)
    },
    create({ limit, ...own }: { allowNonFinalized?: boolean; stopped?: boolean; limit?: ForkLimit } = {}): Proposer {
      const status = (): SyncStatus => ({
        currentL1: l1Ref(scene.currentL1),
        headL1: l1Ref(l1Hashes.length - 1),
        safeL1: l1Ref(8),
        finalizedL1: l1Ref(5),
        unsafeL2: l2Ref(90),
        safeL2: l2Ref(scene.safe),
        finalizedL2: l2Ref(scene.finalized),
        pendingSafeL2: l2Ref(scene.safe),
        queuedUnsafeL2: null,
      })
      return createProposer(
        { oracle, pollIntervalMs: 1000, allowNonFinalized: false, ...own },
        {
          rollup: {
            syncStatus: async () => status(),
            async outputAtBlock(at) {
              const block = l2Ref(at as number)
              const parts = { stateRoot: hash(1), withdrawalStorageRoot: hash(2) }
              const outputRoot = outputRootV0(parts.stateRoot, parts.withdrawalStorageRoot, block.hash)
              return scene.output({ outputRoot, ...parts, block, syncStatus: status() })
            },
          },
          l1: {
            async call(to, data) {
              assert.equal(to, oracle)
              const asked = bytesToHex(data)
              if (asked === bytesToHex(OUTPUT_ORACLE_CALLS.proposer)) return concatBytes(new Uint8Array(12), hexToBytes(scene.proposer))
              assert.equal(asked, bytesToHex(OUTPUT_ORACLE_CALLS.nextBlockNumber))
              if (!scene.oracleLags) scene.shown = (landed.at(-1)?.l2 ?? L2_BASE) + INTERVAL
              return bigintToBytes(BigInt(scene.shown), 32)
            },
            async blockRef(at) {
              const number = at === 'latest' ? l1Hashes.length - 1 : at
              return l1Hashes[number] === undefined ? null : l1Ref(number)
            },
          },
          sender: {
            address: account,
            recover: async () => scene.left,
            send({ data, label }) {
              const l2 = Number(label?.split(' ').at(-1))
              scene.sent.push(l2)
              const receipt = new Promise<ProposalReceipt>((settle) => waiting.push({ l2, data: bytesToHex(data), settle }))
              if (scene.mineAtOnce) scene.mine()
              return receipt
            },
          },
          ...(limit === undefined ? {} : { limit }),
          clock,
          log,
          metrics: createMetrics('test'),
        },
      )
    },
  }
  return scene
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('proposer', () => {
  it('proposes the block the oracle asks for, bound to the L1 block that derivation has reached', async () => {
    const scene = createScene()
    const outputRoot = outputRootV0(hash(1), hash(2), hash(20))
    assert.deepEqual(await scene.create().step(), { kind: 'proposed', l2BlockNumber: 20, outputRoot })
    const l1 = { hash: hash(109), number: 9 }
    assert.deepEqual(scene.data(), [bytesToHex(encodeProposeL2Output({ outputRoot, l2BlockNumber: 20, l1 }))])
  })

  it('proposes one block after another until the next is not final, or not safe where that is enough', async () => {
    for (const [allowNonFinalized, expected] of [
      [false, [20, 30]],
      [true, [20, 30, 40]],
    ] as const) {
      const scene = createScene()
      const proposer = scene.create({ allowNonFinalized })
      while ((await proposer.step()).kind === 'proposed');
      assert.deepEqual([scene.landed(), scene.sent], [expected, expected])
      const { reason } = (await proposer.step()) as { reason: string }
      assert.match(reason, allowNonFinalized ? /L2 block 50 is next, safe is 40/ : /L2 block 40 is next, final is 30/)
    }
  })

  it('stops before a fork that is not implemented, and reports why', async () => {
    const scene = createScene()
    const genesis = { l2: { number: 0 }, l2TimestampSec: 1_000 }
    const limit = forkLimitOf({ firstUnsupportedFork: { name: 'lagoon', timeSec: 1_060 }, blockTimeSec: 2, genesis })
    assert.equal(limit?.lastBlock, 29)
    const proposer = scene.create({ allowNonFinalized: true, limit })
    while ((await proposer.step()).kind === 'proposed');
    assert.deepEqual(scene.sent, [20])
    const step = await proposer.step()
    assert.match(step.kind === 'waiting' ? step.reason : '', /^stopped before fork lagoon: .* block 29 is the last one/)
    assert.equal(proposer.trouble(), null)
  })

  it('never proposes a block twice while the L1 node is stale', async () => {
    const scene = createScene()
    const proposer = scene.create()
    await proposer.step()
    scene.oracleLags = true
    const step = await proposer.step()
    assert.ok(step.kind === 'waiting' && /does not show the proposal of L2 block 20/.test(step.reason))
    scene.oracleLags = false
    await proposer.step()
    assert.deepEqual(scene.sent, [20, 30])
  })

  it('repeats a proposal that an L1 reorg removed', async () => {
    const scene = createScene()
    const proposer = scene.create()
    await proposer.step()
    scene.reorg(1)
    assert.deepEqual(scene.landed(), [])
    await proposer.step()
    assert.deepEqual(scene.landed(), [20])
  })

  it('waits for transactions of an earlier run, and does not send them again', async () => {
    const scene = createScene()
    scene.mineAtOnce = false
    void scene.create().step()
    for (let i = 0; i < 20 && scene.sent.length === 0; i++) await turn()
    let settle: (receipt: ProposalReceipt) => void = () => undefined
    scene.left = [{ label: 'output of L2 block 20', receipt: new Promise((resolve) => (settle = resolve)) }]
    scene.mineAtOnce = true
    const second = scene.create()
    assert.deepEqual(await second.step(), { kind: 'waiting', reason: '1 proposals of the last run are not settled' })
    scene.mine()
    settle({ succeeded: true, transactionHash: hash(5), blockNumber: 10, blockHash: scene.l1Hashes()[10] as Hash })
    await turn()
    scene.oracleLags = true
    assert.equal((await second.step()).kind, 'waiting')
    scene.oracleLags = false
    await second.step()
    assert.deepEqual(
      [scene.landed(), scene.sent],
      [
        [20, 30],
        [20, 30],
      ],
    )
  })

  it('waits while L1 does not have the blocks that the consensus client names', async () => {
    const scene = createScene()
    scene.output = (output) => ({
      ...output,
      syncStatus: { ...output.syncStatus, currentL1: { ...output.syncStatus.currentL1, hash: hash(66) } },
    })
    const current = await scene.create().step()
    assert.ok(current.kind === 'waiting' && /has derived to, 9, is 0x4242.* but L1 has 0x6d6d/.test(current.reason))
    scene.output = (output) => ({ ...output, block: { ...output.block, l1Origin: { hash: hash(66), number: 3 } } })
    const origin = await scene.create().step()
    assert.ok(origin.kind === 'waiting' && /the L1 origin of the output, 3/.test(origin.reason))
    assert.deepEqual(scene.sent, [])
  })

  it('waits for a consensus client that is far behind L1, or has no heads yet', async () => {
    const scene = createScene()
    for (let i = 0; i < 201; i++) scene.mine()
    const behind = await scene.create().step()
    assert.ok(behind.kind === 'waiting' && /has derived to L1 block 9, the L1 head is 210/.test(behind.reason))
    scene.currentL1 = 10
    assert.equal((await scene.create().step()).kind, 'proposed')
  })

  it('rejects an output root that does not match its fields', async () => {
    const scene = createScene()
    scene.output = (output) => ({ ...output, stateRoot: hash(9) })
    await assert.rejects(scene.create().step(), { code: 'proposer/output-mismatch' })
    scene.output = (output) => ({ ...output, block: { ...output.block, number: 19 } })
    await assert.rejects(scene.create().step(), { code: 'proposer/output-mismatch' })
    assert.deepEqual(scene.sent, [])
  })

  it('reports an oracle that accepts another account only', async () => {
    const scene = createScene()
    scene.proposer = toAddress(`0x${'0c'.repeat(20)}`)
    await assert.rejects(scene.create().step(), { code: 'proposer/not-the-proposer', message: /0x0c0c.*0x0b0b/ })
  })

  it('does not count a reverted proposal, and retries', async () => {
    const scene = createScene()
    scene.reverts = true
    const proposer = scene.create()
    await assert.rejects(proposer.step(), { code: 'proposer/reverted' })
    scene.reverts = false
    await proposer.step()
    assert.deepEqual(scene.landed(), [20])
  })

  it('pays for ever fewer proposals while each of them reverts, and reports the reason meanwhile', async () => {
    const scene = createScene()
    scene.reverts = true
    const proposer = scene.create()
    await proposer.start(new AbortController().signal)
    for (let second = 0; second < 3600; second++) {
      await scene.clock.advance(1000)
      await turn()
    }
    assert.ok(scene.sent.length >= 6 && scene.sent.length <= 20, `${scene.sent.length} proposals in an hour`)
    assert.match(proposer.trouble()?.reason ?? '', /^proposal of L2 block 20 reverted in 0x/)
    scene.reverts = false
    for (let second = 0; second < 601 && scene.landed().length === 0; second++) {
      await scene.clock.advance(1000)
      await turn()
    }
    assert.ok(scene.landed().includes(20))
    await proposer.stop()
  })

  it('is idle until the operator starts it, and after the operator stops it', async () => {
    const scene = createScene()
    const proposer = scene.create({ stopped: true })
    assert.deepEqual(await proposer.step(), { kind: 'stopped' })
    assert.match(proposer.trouble()?.reason ?? '', /^stopped by an option/)
    proposer.methods.admin_startProposer?.([], context)
    await proposer.step()
    assert.deepEqual(proposer.methods.admin_proposerStatus?.([], context), {
      active: true,
      waitingFor: null,
      trouble: null,
      lastProposedBlock: 20,
      lastProposalL1Block: 10,
    })
    proposer.methods.admin_stopProposer?.([], context)
    assert.match(proposer.trouble()?.reason ?? '', /^stopped by an operator/)
    const { waitingFor } = Object(proposer.methods.admin_proposerStatus?.([], context))
    assert.match(String(waitingFor), /^stopped by an operator/)
    assert.deepEqual(await proposer.step(), { kind: 'stopped' })
    assert.deepEqual(scene.sent, [20])
  })

  it('runs on its own, reports once why it is blocked, and continues when it can', async () => {
    const scene = createScene()
    scene.proposer = toAddress(`0x${'0c'.repeat(20)}`)
    const proposer = scene.create()
    await proposer.start(new AbortController().signal)
    await scene.clock.advance(5000)
    assert.match(proposer.trouble()?.reason ?? '', /accepts proposals of/)
    assert.equal(scene.log.matching('proposal failed').length, 1)
    scene.proposer = account
    await scene.clock.advance(5000)
    assert.equal(proposer.trouble(), null)
    assert.deepEqual(scene.landed(), [20, 30])
    await proposer.stop()
  })
})
