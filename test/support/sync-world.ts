/** An execution client that fetches a chain from peers, for the tests of full and snap sync. */
import assert from 'node:assert/strict'
import { type Block, blockToPayload, type Hash, type PayloadStatus, ZERO_HASH } from '@keelson/primitives'
import type { KeyValueStore } from '@keelson/runtime'
import { createExecutionWorld, type ExecutionWorld, type ExecutionWorldOptions } from './execution-world.ts'
import { createPeerList, type ListedPeer, type PeerList } from './sync-peers.ts'

export type SyncingWorld = ExecutionWorld & { readonly peers: PeerList }

export async function openSyncing(peers: readonly ListedPeer[], options: ExecutionWorldOptions): Promise<SyncingWorld> {
  const list = createPeerList(peers)
  return { ...(await createExecutionWorld({ ...options, syncPeers: list })), peers: list }
}

/** The consensus client chooses this head. */
export async function want(
  world: ExecutionWorld,
  { hash }: Pick<Block, 'hash'>,
  labels: { safe?: Hash; finalized?: Hash } = {},
): Promise<PayloadStatus> {
  const state = { head: hash, safe: labels.safe ?? ZERO_HASH, finalized: labels.finalized ?? ZERO_HASH }
  return (await world.engine.forkchoiceUpdated(state, null)).status
}

/** The consensus client sends this block. */
export function send(world: ExecutionWorld, block: Block): Promise<PayloadStatus> {
  const { payload, parentBeaconBlockRoot } = blockToPayload(block, true)
  return world.engine.newPayload(payload, parentBeaconBlockRoot)
}

export const head = ({ node }: Pick<ExecutionWorld, 'node'>) => node.chain.label('unsafe')

export async function until(world: ExecutionWorld, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let turns = 0; turns < 20_000; turns++) {
    if (await condition()) return
    await world.clock.advance(turns < 19_000 ? 1 : 1_000)
  }
  assert.fail(`gave up at head ${head(world).header.number}`)
}

export const reached = (world: ExecutionWorld, block: Block) => until(world, () => head(world).hash === block.hash)

export function gateOf(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((open) => {
    resolve = open
  })
  return { promise, resolve }
}

/** Writes go to `disk` until `dies` says so for one of them. */
export function mortal(disk: KeyValueStore, dies: (ops: Parameters<KeyValueStore['batch']>[0]) => boolean) {
  let dead = false
  const store: KeyValueStore = {
    ...disk,
    async batch(ops, options) {
      dead ||= dies(ops)
      if (dead) throw new Error('killed')
      await disk.batch(ops, options)
    },
  }
  return { store, isDead: () => dead }
}
