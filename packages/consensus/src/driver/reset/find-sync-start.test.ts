import assert from 'node:assert/strict'
import { type BlockId, type Hash, type L1BlockRef, type PayloadEnvelope, type ZERO_ADDRESS, ZERO_HASH } from '@keelson/primitives'
import { createManualClock, createMemoryStore } from '@keelson/runtime'
import { createFakeL1, type FakeL1 } from '../../../../../test/support/fake-l1.ts'
import { makePayload } from '../../../../../test/support/payloads.ts'
import { JOVIAN_FROM_GENESIS, makeRollupConfig } from '../../../../../test/support/rollup-config.ts'
import { createL2Refs } from '../../blocks/l2-refs.ts'
import { ConsensusError } from '../../errors.ts'
import { createSafeHeadStore } from '../../store/safe-head-store.ts'
import { createSyncWalk } from '../../store/sync-walk.ts'
import { findSyncStart, type SyncStartDependencies } from './find-sync-start.ts'

const GENESIS_SEC = 1_800_000_000
const clock = createManualClock()
const L2_PER_L1 = 2

interface Setup {
  readonly l1: FakeL1
  readonly blocks: readonly PayloadEnvelope[]
  readonly labels: { unsafe: number; safe: number | null; finalized: number | null }
  readonly deps: SyncStartDependencies
  readonly reads: { count: number }
}

/** L2 blocks with the L1 origins 0 to n/2. */
function setup(l1Blocks: number, options: { readonly window?: number; readonly allowFinalizedReorg?: boolean } = {}): Setup {
  const l1 = createFakeL1({ genesisTimestampSec: GENESIS_SEC })
  l1.mine(l1Blocks)
  const blocks: PayloadEnvelope[] = []
  for (let number = 0; number < l1Blocks * L2_PER_L1; number++) {
    const origin = l1.block(Math.floor(number / L2_PER_L1))?.ref as L1BlockRef
    const parentHash: Hash = blocks[number - 1]?.payload.blockHash ?? ZERO_HASH
    blocks.push(
      makePayload({ number, parentHash, timestampSec: GENESIS_SEC + 2 * number, l1Origin: origin, sequenceNumber: number % L2_PER_L1 }),
    )
  }
  const genesis = blocks[0]?.payload as PayloadEnvelope['payload']
  const config = makeRollupConfig({
    l1ChainId: 900n,
    l2ChainId: 84532n,
    l1Genesis: l1.genesis,
    l2Genesis: { hash: genesis.blockHash, number: 0, timestampSec: GENESIS_SEC },
    batcher: '0x00000000000000000000000000000000000000b1' as typeof ZERO_ADDRESS,
    forks: JOVIAN_FROM_GENESIS,
    sequencingWindowL1Blocks: options.window ?? 3600,
  })
  const labels: Setup['labels'] = { unsafe: blocks.length - 1, safe: null, finalized: null }
  const reads = { count: 0 }
  const l2 = createL2Refs(config, {
    async payload(at) {
      reads.count++
      if (typeof at === 'number') return blocks[at] ?? null
      if (at === 'unsafe' || at === 'safe' || at === 'finalized') return blocks[labels[at] ?? -1] ?? null
      return blocks.find((block) => block.payload.blockHash === at) ?? null
    },
    messagePasserStorageRoot: async () => null,
  })
  const store = createMemoryStore()
  const safeHeads = createSafeHeadStore(store)
  const walk = createSyncWalk(store, clock)
  const deps = {
    config,
    l1: l1.reader,
    l2,
    safeHeads,
    walk,
    replacedAfter: null,
    allowFinalizedReorg: options.allowFinalizedReorg ?? false,
  }
  return { l1, blocks, labels, deps, reads }
}

const id = ({ blocks }: Setup, number: number): BlockId => ({ number, hash: (blocks[number] as PayloadEnvelope).payload.blockHash })

async function numbers(deps: SyncStartDependencies) {
  const { heads, l1Origin } = await findSyncStart(deps)
  return { unsafe: heads.unsafe.number, safe: heads.safe.number, finalized: heads.finalized.number, from: l1Origin.number }
}

describe('finding the sync start', () => {
  it('starts at genesis with an empty chain', async () => {
    const s = setup(1)
    s.labels.unsafe = 0
    assert.deepEqual(await numbers(s.deps), { unsafe: 0, safe: 0, finalized: 0, from: 0 })
  })

  it('keeps the unsafe head and falls back to finalized without a record', async () => {
    const s = setup(100)
    s.labels.safe = 150
    s.labels.finalized = 120
    // the safe head's origin is 60; derivation starts a channel timeout of 50 before it
    assert.deepEqual(await numbers(s.deps), { unsafe: 199, safe: 120, finalized: 120, from: 10 })
  })

  it('continues from the safe head recorded at a canonical L1 block', async () => {
    const s = setup(100)
    s.labels.finalized = 120
    await s.deps.safeHeads.record({ l1: s.l1.block(90)?.ref as L1BlockRef, l2: id(s, 170) })
    assert.deepEqual(await numbers(s.deps), { unsafe: 199, safe: 170, finalized: 120, from: 35 })
    assert.equal((await findSyncStart(s.deps)).safeFrom, 'record')
    await s.deps.safeHeads.truncateAfter(-1)
    assert.equal((await findSyncStart(s.deps)).safeFrom, 'engine')
  })

  it('reports whether all known safe blocks are left', async () => {
    const s = setup(100)
    const continues = async () => (await findSyncStart(s.deps)).continues
    assert.equal(await continues(), true, 'nothing was ever safe')
    s.labels.safe = 150
    assert.equal(await continues(), false, 'no record of what was safe')
    await s.deps.safeHeads.record({ l1: s.l1.block(80)?.ref as L1BlockRef, l2: id(s, 150) })
    await s.deps.safeHeads.record({ l1: s.l1.block(90)?.ref as L1BlockRef, l2: id(s, 170) })
    assert.equal(await continues(), true)
    s.labels.unsafe = 160
    assert.equal(await continues(), false, 'the engine lost blocks that were safe')
    s.labels.unsafe = 199
    assert.equal(await continues(), true)
    s.l1.reorg(15)
    assert.equal(await continues(), false, 'L1 replaced the block of the newest record')
  })

  it('skips records whose L1 block was replaced', async () => {
    const s = setup(100)
    await s.deps.safeHeads.record({ l1: s.l1.block(80)?.ref as L1BlockRef, l2: id(s, 150) })
    await s.deps.safeHeads.record({ l1: s.l1.block(98)?.ref as L1BlockRef, l2: id(s, 180) })
    s.l1.reorg(5)
    const found = await numbers(s.deps)
    assert.equal(found.safe, 150)
    // L1 blocks 96 to 100 were replaced, so 191 is the last block with a canonical origin
    assert.equal(found.unsafe, 191)
    assert.equal((await s.deps.safeHeads.latest())?.l1.number, 80)
  })

  it('goes back a whole sequencing window without records, to the end of an epoch', async () => {
    const s = setup(100, { window: 20 })
    s.labels.safe = 190
    // unsafe has origin 99: 78 is the newest origin older than a window, and block 155 precedes that epoch
    assert.deepEqual(await numbers(s.deps), { unsafe: 199, safe: 155, finalized: 0, from: 27 })
  })

  it('keeps an unsafe head whose origin L1 has not seen yet', async () => {
    const s = setup(100)
    s.l1.reorg(3, { newBlocks: 0 })
    const { unsafe } = await numbers(s.deps)
    assert.equal(unsafe, 199)
  })

  it('finds the fork point of a deep reorg with few requests', async () => {
    const s = setup(1_000)
    s.reads.count = 0
    s.l1.reorg(700, { newBlocks: 701 })
    const { unsafe } = await numbers(s.deps)
    assert.equal(unsafe, 601)
    assert.ok(s.reads.count < 60, `${s.reads.count} blocks read`)
  })

  it('replaces no block whose origin is on L1 when a lagging node answers a request of the search', async () => {
    const s = setup(100)
    s.l1.reorg(10, { newBlocks: 11 })
    const forkPoint = (await numbers({ ...s.deps, replacedAfter: 89, walk: createSyncWalk(createMemoryStore(), clock) })).unsafe
    assert.equal(forkPoint, 181)
    for (let lagging = 1; lagging <= 12; lagging++) {
      let asked = 0
      const blockRef: SyncStartDependencies['l1']['blockRef'] = async (at) =>
        typeof at === 'number' && at > 0 && at < 90 && ++asked === lagging ? null : s.l1.reader.blockRef(at)
      const deps = { ...s.deps, replacedAfter: 89, l1: { ...s.l1.reader, blockRef }, walk: createSyncWalk(createMemoryStore(), clock) }
      const found = await numbers(deps).catch((error: unknown) => {
        assert.ok(error instanceof ConsensusError && error.severity === 'temporary', String(error))
        return numbers(deps)
      })
      assert.equal(found.unsafe, forkPoint, `request ${lagging} met the lagging node`)
    }
  })

  describe('with an L1 that interrupts the search (429)', () => {
    const limited = (s: Setup, answers: number) => {
      const state = { left: answers, asked: [] as (number | string)[] }
      const blockRef: SyncStartDependencies['l1']['blockRef'] = (at) => {
        if (state.left-- <= 0) return Promise.reject(new ConsensusError('consensus/l1-unavailable', 'temporary', 'too many requests'))
        state.asked.push(at)
        return s.l1.reader.blockRef(at)
      }
      return { state, deps: { ...s.deps, l1: { ...s.l1.reader, blockRef } } }
    }
    const deepReorg = async () => {
      const s = setup(1_000)
      for (let l1 = 1; l1 <= 900; l1++) await s.deps.safeHeads.record({ l1: s.l1.block(l1)?.ref as L1BlockRef, l2: id(s, 2 * l1 - 1) })
      s.l1.reorg(700, { newBlocks: 701 })
      return s
    }

    it('continues after L1 stops answering, also over restarts', async () => {
      const whole = limited(await deepReorg(), 1_000)
      const expected = await numbers(whole.deps)
      assert.ok(whole.state.asked.length < 40, `${whole.state.asked.length} requests`)
      const { state, deps } = limited(await deepReorg(), 4)
      let attempts = 0
      let found: Awaited<ReturnType<typeof numbers>> | null = null
      while (found === null && attempts++ < 60) {
        state.left = 4
        found = await numbers(deps).catch(() => null)
      }
      assert.deepEqual(found, expected)
      // apart from the final check, a later attempt reads no block again except genesis
      const others = state.asked.filter((at) => at !== 0)
      assert.ok(others.length - new Set(others).size <= 2, `${others}`)
    })

    it('reads L1 again after an L1 reorg, and when its recorded answers are old', async () => {
      const s = await deepReorg()
      const { state, deps } = limited(s, 8)
      await assert.rejects(numbers(deps))
      s.l1.reorg(900, { newBlocks: 901 })
      state.left = 1_000
      let found: Awaited<ReturnType<typeof numbers>> | null = null
      for (let i = 0; i < 3 && found === null; i++) found = await numbers(deps).catch(() => null)
      const fresh = await numbers({ ...s.deps, walk: createSyncWalk(createMemoryStore(), clock) })
      assert.equal(found?.safe, fresh.safe)
      state.left = 6
      s.l1.reorg(10, { newBlocks: 11 })
      await assert.rejects(numbers(deps))
      await clock.advance(11 * 60_000)
      const before = state.asked.length
      state.left = 1_000
      await numbers(deps)
      assert.ok(state.asked.length - before > 6)
    })
  })

  it('treats a record above the L1 head as replaced if L1 is known to have replaced its blocks', async () => {
    const s = setup(100)
    await s.deps.safeHeads.record({ l1: s.l1.block(70)?.ref as L1BlockRef, l2: id(s, 130) })
    await s.deps.safeHeads.record({ l1: s.l1.block(98)?.ref as L1BlockRef, l2: id(s, 180) })
    s.l1.reorg(20, { newBlocks: 1 })
    assert.equal((await numbers({ ...s.deps, replacedAfter: 80 })).safe, 130)
    assert.equal((await s.deps.safeHeads.latest())?.l1.number, 70)
  })

  it('stops when L1 reorganized below a final block, unless that is allowed', async () => {
    const stern = setup(100)
    stern.labels.finalized = 190
    stern.labels.safe = 190
    stern.l1.reorg(20)
    await assert.rejects(findSyncStart(stern.deps), (error) => {
      assert.ok(error instanceof ConsensusError)
      assert.equal(error.code, 'consensus/l1-reorg-below-finalized')
      assert.equal(error.severity, 'critical')
      return true
    })
    const lenient = setup(100, { allowFinalizedReorg: true })
    lenient.labels.finalized = 190
    lenient.labels.safe = 190
    await lenient.deps.safeHeads.record({ l1: lenient.l1.block(70)?.ref as L1BlockRef, l2: id(lenient, 130) })
    lenient.l1.reorg(20)
    const found = await numbers(lenient.deps)
    assert.deepEqual(found, { unsafe: 161, safe: 130, finalized: 130, from: 15 })
  })

  it('rejects an L1 other than the configured one', async () => {
    const s = setup(10)
    const other = createFakeL1({ genesisTimestampSec: GENESIS_SEC + 1 })
    await assert.rejects(findSyncStart({ ...s.deps, l1: other.reader }), { code: 'consensus/wrong-l1', severity: 'critical' })
  })

  it('accepts an engine that was rewound below its labels', async () => {
    const s = setup(100)
    s.labels.unsafe = 50
    s.labels.safe = 150
    s.labels.finalized = 120
    const found = await numbers(s.deps)
    assert.deepEqual({ unsafe: found.unsafe, safe: found.safe, finalized: found.finalized }, { unsafe: 50, safe: 50, finalized: 50 })
  })
})
