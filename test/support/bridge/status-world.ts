import assert from 'node:assert/strict'
import { type Hash, toAddress } from '@keelson/primitives'
import {
  createManualClock,
  createMemoryStore,
  createMetrics,
  createSilentLogger,
  type KeyValueStore,
  type ManualClock,
} from '@keelson/runtime'
import { type BridgeStatus, createBridgeStatus } from '../../../packages/apps/src/bridge/bridge-status.ts'
import type { StatusView } from '../../../packages/apps/src/bridge/status-view.ts'
import { createFakeL1, createFakeL2, type FakeL1, type FakeL2, GENESIS_SEC } from './fake-chains.ts'

export const MESSENGER = toAddress(`0x${'33'.repeat(20)}`)
export const STANDARD_BRIDGE = toAddress(`0x${'44'.repeat(20)}`)
const TIME_TO_BE_ASKED_AGAIN_MS = 1_000
const RETENTION_MS = 90 * 86_400_000

interface Outside {
  readonly clock: ManualClock
  readonly l1: FakeL1
  readonly l2: FakeL2
}

/** `beside` shares its chains and its clock with a second service. */
export function createWorld(beside: Outside = { clock: createManualClock(GENESIS_SEC * 1000), l1: createFakeL1(), l2: createFakeL2() }) {
  const { clock, l1, l2 } = beside
  const store: KeyValueStore = createMemoryStore()
  let service: BridgeStatus
  const open = async (retentionMs = RETENTION_MS) => {
    service = await createBridgeStatus(
      {
        startBlock: 1,
        senders: { messenger: MESSENGER, standardBridge: STANDARD_BRIDGE },
        pollIntervalMs: 1_000,
        pageBlocks: 10,
        retentionMs,
      },
      { l1, l2, store, clock, log: createSilentLogger(), metrics: createMetrics('test') },
    )
  }
  const world = {
    clock,
    l1,
    l2,
    store,
    open,
    step: () => service.step(),
    trouble: () => service.trouble(),
    async answer(txHash: Hash) {
      await clock.advance(TIME_TO_BE_ASKED_AGAIN_MS)
      return service.status(txHash)
    },
    async status(txHash: Hash): Promise<StatusView> {
      const answer = await world.answer(txHash)
      assert.equal(answer.kind, 'found', JSON.stringify(answer))
      return (answer as { status: StatusView }).status
    },
    async state(txHash: Hash) {
      return (await world.status(txHash)).state
    },
  }
  return world
}
export type World = ReturnType<typeof createWorld>
