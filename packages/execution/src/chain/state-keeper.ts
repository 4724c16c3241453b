/**
 * Flattens old layers in the background (batch B). For a head below the disk layer, undoes flattened blocks and executes stored
 * ones.
 */
import type { Block, Logger } from '@keelson/primitives'
import type { KeyValueStore } from '@keelson/runtime'
import { nextTurn } from '@keelson/runtime'
import type { StateStore } from '@keelson/state'
import { createExclusive } from '../exclusive.ts'
import type { SealedHeader } from './chain-reader.ts'
import type { ChainStore } from './chain-store.ts'
import { settleHead, stateOutOfReach } from './settle-head.ts'

export interface StateKeeper {
  settleHead(): Promise<void>
  /** Restores the state of `head` before `move`. Throws ExecutionError `execution/missing-state`. */
  moveHead<T>(head: SealedHeader, move: () => Promise<T>): Promise<T>
  pause<T>(task: () => Promise<T>): Promise<T>
  kick(): void
  /** Flattens at once while the state has far more layers than it may have. Call it before a block adds another. */
  relieve(): Promise<void>
  settled(): Promise<void>
}

export interface StateKeeperDependencies {
  readonly chain: ChainStore
  readonly state: StateStore
  readonly store: KeyValueStore
  readonly log: Logger
  restoreLayer(block: Block): Promise<void>
}

const TURN_EVERY_BLOCKS = 16

export function createStateKeeper(deps: StateKeeperDependencies): StateKeeper {
  const { chain, state, store, log } = deps
  const exclusive = createExclusive()
  let kicked = false
  let background: Promise<void> = Promise.resolve()

  const flattenOne = async (): Promise<boolean> => {
    if (state.disk === null) return false
    const head = chain.label('unsafe')
    const done = await state.flatten(head.hash, chain.label('finalized').header.number)
    if (done === null) return false
    const ops = done.dropped.flatMap((hash) => chain.pruneOps(hash))
    if (ops.length > 0) await store.batch(ops)
    return true
  }

  const flattenAll = async (): Promise<void> => {
    // Let the forkchoice call return first.
    await nextTurn()
    kicked = false
    // One block at a time, so that a new head waits for one only.
    while (await exclusive.run(flattenOne)) await nextTurn()
  }

  const extendsHead = (head: SealedHeader): boolean => {
    const old = chain.label('unsafe')
    return chain.ancestorHash(head, old.header.number) === old.hash
  }

  const missingBlocks = async (block: SealedHeader): Promise<Block[]> => {
    const missing: Block[] = []
    let at: SealedHeader = block
    while (!state.hasState(at.hash)) {
      const disk = state.disk
      if (disk !== null && disk.number >= at.header.number) {
        if ((await state.rollback()) === null) throw stateOutOfReach(block, disk.number)
        continue
      }
      const stored = chain.block(at.hash)
      const parent = chain.header(at.header.parentHash)
      if (stored === null || parent === null) throw stateOutOfReach(block, disk?.number ?? 0)
      missing.push(stored)
      at = { hash: at.header.parentHash, header: parent }
    }
    return missing.reverse()
  }

  const restore = async (block: SealedHeader): Promise<void> => {
    if (state.hasState(block.hash)) return
    const diskBefore = state.disk?.number ?? 0
    const missing = await missingBlocks(block)
    log.warn('rolled back the state to an older block', {
      target: block.header.number,
      hash: block.hash,
      diskBefore,
      disk: state.disk?.number ?? 0,
      executedAgain: missing.length,
    })
    for (const [i, stored] of missing.entries()) {
      await deps.restoreLayer(stored)
      if (i % TURN_EVERY_BLOCKS === 0) await nextTurn()
    }
  }

  return {
    settleHead: () => settleHead(chain, state, log),
    moveHead(head, move) {
      if (state.hasState(head.hash) && extendsHead(head)) return move()
      return exclusive.run(async () => {
        await restore(head)
        return move()
      })
    },
    pause: (task) => exclusive.run(task),
    kick() {
      if (kicked) return
      kicked = true
      background = background.then(flattenAll).catch((error: unknown) => {
        kicked = false
        log.error('could not flatten the state', { error })
      })
    },
    async relieve() {
      // Pruned history alone frees no layer, and can wait.
      for (let before = Number.POSITIVE_INFINITY; state.overfull && state.layerCount < before; ) {
        before = state.layerCount
        await exclusive.run(flattenOne)
      }
    },
    async settled() {
      await background
      await exclusive.idle()
    },
  }
}
