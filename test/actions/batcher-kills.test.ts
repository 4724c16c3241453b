import assert from 'node:assert/strict'
import { type BatcherOptions, createBatcher } from '@keelson/batcher'
import { createChainAccount, createLocalSigner, createTransactionJournal, createTransactionManager } from '@keelson/client'
import { concatBytes, createPureCrypto, keccak256, type SyncStatus } from '@keelson/primitives'
import {
  createManualClock,
  createMemoryStore,
  createMetrics,
  createSeededRandom,
  createSilentLogger,
  type ManualClock,
  Secret,
} from '@keelson/runtime'
import { compress } from '../../packages/node/src/crypto/compression.ts'
import { DEFAULT_BATCHER_OPTIONS } from '../support/default-batcher-options.ts'
import { createDerivationWorld, type DerivationWorld } from '../support/derivation-world.ts'
import { createL1Pool, type L1Pool } from '../support/l1-pool.ts'
import { createMortal, type Mortal } from '../support/mortal.ts'

const crypto = createPureCrypto()
const WALKS = 24
const STEPS = 60
/** Expected drop reasons for an unfinished channel. */
const OF_BROKEN_OFF_CHANNELS = new Set(['frame-channel-unclosed', 'channel-replaced', 'channel-pruned', 'frame-without-channel'])
const kzg = {
  blobToCommitment: async (blob: Uint8Array) => concatBytes(keccak256(blob), new Uint8Array(16)),
  blobProof: async () => new Uint8Array(48),
}

interface Walk {
  readonly world: DerivationWorld
  readonly pool: L1Pool
  readonly clock: ManualClock
  readonly kills: number
  pick(n: number): number
  work(): Promise<void>
  dieSoon(): void
  mine(atMost?: number): Promise<void>
  settle(): Promise<void>
}

function createWalk(seed: number, options: Partial<BatcherOptions>): Walk {
  const random = createSeededRandom(seed)
  const pick = (n: number) => Math.floor(random.next() * n)
  const world = createDerivationWorld()
  const clock = createManualClock(1_000_000)
  const disk = createMemoryStore()
  const signer = createLocalSigner(new Secret(world.batcherKey), crypto)
  const pool = createL1Pool(world.l1, signer.address)
  let kills = 0
  let life: Mortal = createMortal()
  let current = begin()

  function begin() {
    const account = createChainAccount('L1', life.rpc(pool.rpc), signer.address)
    const chainId = world.config.l1ChainId
    const log = createSilentLogger()
    const sender = createTransactionManager(
      { chainId, confirmations: 1, pollIntervalMs: 1000, resubmitAfterMs: 10_000, maxCostWei: 10n ** 18n },
      { account, signer, journal: createTransactionJournal(life.store(disk), chainId, signer.address), kzg, crypto, clock, log },
    )
    const syncStatus = async (): Promise<SyncStatus> => ({
      currentL1: world.pipeline.l1Origin,
      headL1: world.l1.head,
      safeL1: world.l1.genesis,
      finalizedL1: world.l1.genesis,
      unsafeL2: world.unsafe(),
      safeL2: world.safe(),
      finalizedL2: world.safe(),
      pendingSafeL2: world.safe(),
      queuedUnsafeL2: null,
    })
    const batcher = createBatcher(
      { ...DEFAULT_BATCHER_OPTIONS, maxChannelDurationL1Blocks: 1, maxCalldataBytes: 1000, targetFramesPerChannel: 3, ...options },
      {
        config: world.config,
        l2: world.sequenced,
        rollup: { syncStatus, outputAtBlock: () => Promise.reject(new Error('not asked for')) },
        sender,
        prices: account,
        l1Chain: world.l1.chain,
        compressor: { compress },
        clock,
        random,
        log,
        metrics: createMetrics('keelson_batcher'),
      },
    )
    return { sender, batcher }
  }

  async function settled(): Promise<void> {
    for (let i = 0; i < 20; i++) await clock.advance(0)
  }

  const walk: Walk = {
    world,
    pool,
    clock,
    get kills() {
      return kills
    },
    pick,
    async work() {
      await Promise.race([current.batcher.step().then(settled), life.death])
      await Promise.race([current.sender.step().then(settled), life.death])
      if (life.alive) return
      kills++
      life = createMortal()
      current = begin()
    },
    dieSoon: () => life.dieAt(1 + pick(25), pick(2) === 0),
    async mine(atMost) {
      await clock.advance(4000)
      pool.mine(atMost)
      await world.derive()
    },
    async settle() {
      for (let i = 0; i < 120 && world.safe().hash !== world.unsafe().hash; i++) {
        await walk.work()
        await walk.mine()
      }
    },
  }
  return walk
}

async function wander(walk: Walk, withReorgs: boolean): Promise<void> {
  const { world, pool, pick } = walk
  await walk.mine()
  for (let step = 0; step < STEPS; step++) {
    const what = pick(withReorgs ? 9 : 8)
    if (what <= 1) await world.sequence(1 + pick(4), pick(4))
    else if (what === 2) walk.dieSoon()
    else if (what === 3) pool.blobBaseFeeWei = pick(2) === 0 ? 1n : 10n ** 9n
    else if (what === 4) pool.baseFeeWei = BigInt(500 + pick(4000))
    else if (what === 8) await reorg(walk)
    else await walk.mine(pick(3))
    await walk.work()
  }
  pool.baseFeeWei = 1000n
  pool.blobBaseFeeWei = 1n
  await walk.settle()
}

async function reorg({ world, pool, pick }: Walk): Promise<void> {
  const depth = Math.min(1 + pick(4), world.l1.head.number - 1)
  if (depth < 1) return
  pool.reorg(depth, pick(2) === 0)
  world.reset()
  for (;;) {
    const { l1Origin } = world.unsafe()
    if (world.l1.block(l1Origin.number)?.ref.hash === l1Origin.hash) break
    world.sequenced.rewind(world.sequenced.head.blockNumber - 1)
  }
  await world.derive()
}

describe('a batcher that is killed at any step', () => {
  for (const dataAvailability of ['calldata', 'blobs', 'auto'] as const) {
    it(`omits nothing and sends nothing twice: ${dataAvailability}`, async () => {
      let kills = 0
      for (let seed = 1; seed <= WALKS / 3; seed++) {
        const walk = createWalk(seed * 31, { dataAvailability })
        await wander(walk, false)
        const { world } = walk
        assert.deepEqual(world.derived.hashes, world.sequenced.hashes, `seed ${seed}`)
        const twice = world.drops.filter(({ reason }) => !OF_BROKEN_OFF_CHANNELS.has(reason))
        assert.deepEqual(twice, [], `seed ${seed}`)
        kills += walk.kills
      }
      assert.ok(kills >= 10, `${kills} kills`)
    })
  }

  it('omits nothing when L1 reorgs drop or restore its transactions', async () => {
    let kills = 0
    for (let seed = 1; seed <= WALKS / 2; seed++) {
      const walk = createWalk(seed * 47, { dataAvailability: 'auto' })
      await wander(walk, true)
      assert.deepEqual(walk.world.derived.hashes, walk.world.sequenced.hashes, `seed ${seed}`)
      kills += walk.kills
    }
    assert.ok(kills >= 10, `${kills} kills`)
  })
})
