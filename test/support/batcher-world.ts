import {
  type Batcher,
  type BatcherOptions,
  createBatcher,
  type L1Prices,
  type L1Receipt,
  type L1Sender,
  type L1Transaction,
} from '@keelson/batcher'
import type { RollupConfig } from '@keelson/chainspec'
import type { SyncStatus } from '@keelson/primitives'
import { createManualClock, createMetrics, createSeededRandom, createSilentLogger } from '@keelson/runtime'
import { compress } from '../../packages/node/src/crypto/compression.ts'
import { DEFAULT_BATCHER_OPTIONS } from './default-batcher-options.ts'
import { createDerivationWorld, type DerivationWorld, type DerivationWorldOptions } from './derivation-world.ts'

export interface TestSender extends L1Sender {
  readonly sent: readonly L1Transaction[]
  settle(): Promise<void>
  failNext(message: string): void
  holdNext(): () => void
  left: Promise<L1Receipt>[]
}

export function createTestSender(world: DerivationWorld): TestSender {
  const sent: L1Transaction[] = []
  let waiting: { hash: string; resolve: (receipt: L1Receipt) => void }[] = []
  let failure: string | null = null
  let hold: { onPlaced: () => void } | null = null
  return {
    sent,
    left: [],
    async recover() {
      return this.left.map((receipt) => ({ label: 'of the last run', receipt }))
    },
    failNext(message) {
      failure = message
    },
    holdNext() {
      const held = { onPlaced: () => undefined }
      hold = held
      return () => held.onPlaced()
    },
    send(transaction) {
      if (failure !== null) {
        const error = new Error(failure)
        failure = null
        return Promise.reject(error)
      }
      sent.push(transaction)
      const { hash } = world.l1.send({ privateKey: world.batcherKey, ...transaction })
      if (hold === null) transaction.onPlaced?.()
      else hold.onPlaced = () => transaction.onPlaced?.()
      hold = null
      return new Promise((resolve) => waiting.push({ hash, resolve }))
    },
    async settle() {
      for (let number = 0; number <= world.l1.head.number; number++) {
        for (const { hash } of world.l1.block(number)?.transactions ?? []) {
          const found = waiting.find((entry) => entry.hash === hash)
          if (found === undefined) continue
          found.resolve({ succeeded: true, blockNumber: number, transactionHash: hash })
          waiting = waiting.filter((entry) => entry !== found)
        }
      }
      await Promise.resolve()
      await Promise.resolve()
    },
  }
}

export interface BatcherWorld {
  readonly world: DerivationWorld
  readonly sender: TestSender
  readonly batcher: Batcher
  status: Partial<SyncStatus>
  mine(count?: number): Promise<void>
  drain(): Promise<void>
  another(options?: Partial<BatcherOptions>, config?: RollupConfig): Batcher
}

export const QUICK: BatcherOptions = { ...DEFAULT_BATCHER_OPTIONS, dataAvailability: 'calldata', maxChannelDurationL1Blocks: 1 }

export function createBatcherWorld(
  options: Partial<BatcherOptions> = {},
  worldOptions: DerivationWorldOptions = {},
  prices: L1Prices | null = null,
): BatcherWorld {
  const world = createDerivationWorld(worldOptions)
  const sender = createTestSender(world)
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
    ...self.status,
  })
  const another = (own: Partial<BatcherOptions> = {}, config: RollupConfig = world.config) =>
    createBatcher(
      { ...QUICK, ...options, ...own },
      {
        config,
        l2: world.sequenced,
        rollup: { syncStatus, outputAtBlock: () => Promise.reject(new Error('not asked for')) },
        sender,
        prices,
        compressor: { compress },
        clock: createManualClock(),
        random: createSeededRandom(1),
        log: createSilentLogger(),
        metrics: createMetrics('keelson_batcher'),
      },
    )
  const self: BatcherWorld = {
    world,
    sender,
    batcher: another(),
    status: {},
    another,
    async mine(count = 1) {
      for (let i = 0; i < count; i++) {
        world.l1.mine(1)
        await world.derive()
        await sender.settle()
      }
    },
    async drain() {
      for (let i = 0; i < 50 && world.safe().number < world.unsafe().number; i++) {
        await self.batcher.step()
        await self.mine()
      }
    },
  }
  return self
}
