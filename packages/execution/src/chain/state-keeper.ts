/**
 * Keeps the state where the chain is: flattens old layers in the background (batch B), and brings the
 * state back when the head goes below what is on disk. History undoes flattened blocks, stored blocks
 * are executed again; so a head never lacks its state.
 */
import type { Block, Logger } from '@keelson/primitives'
import type { KeyValueStore } from '@keelson/runtime'
import { nextTurn } from '@keelson/runtime'
import type { StateStore } from '@keelson/state'
import { createExclusive } from '../exclusive.ts'
import type { ChainStore, SealedHeader } from './chain-store.ts'
import { settleHead, stateOutOfReach } from './settle-head.ts'

export interface StateKeeper {
  /**
   * For the start: when a process ended while the state was going back, the head follows to where the state is,
   * and the consensus client leads it on. Executes nothing. Throws ExecutionError `execution/missing-state`.
   */
  settleHead(): Promise<void>
  /**
   * Runs `move`, which makes `head` the head, once its state is there; no flattening toward the old head runs meanwhile.
   * Throws ExecutionError `execution/missing-state` when history does not reach and the blocks are not stored.
   */
  moveHead<T>(head: SealedHeader, move: () => Promise<T>): Promise<T>
  /** Runs `task` while nothing is flattened. */
  pause<T>(task: () => Promise<T>): Promise<T>
  /** Flattens what may be flattened, in the background. */
  kick(): void
  /** Resolves when nothing is left to flatten. */
  settled(): Promise<void>
}

export interface StateKeeperDependencies {
  readonly chain: ChainStore
  readonly state: StateStore
  readonly store: KeyValueStore
  readonly log: Logger
  /** Executes a stored block on its parent's state and makes its layer visible. */
  restoreLayer(block: Block): Promise<void>
}

const TURN_EVERY_BLOCKS = 16

export function createStateKeeper(deps: StateKeeperDependencies): StateKeeper {
  const { chain, state, store, log } = deps
  const exclusive = createExclusive()
  let kicked = false
  let background: Promise<void> = Promise.resolve()

  /** False when nothing was left to do. */
  const flattenOne = async (): Promise<boolean> => {
    const head = chain.label('unsafe')
    const done = await state.flatten(head.hash, chain.label('finalized').header.number)
    if (done === null) return false
    const ops = done.dropped.flatMap((hash) => chain.pruneOps(hash))
    if (ops.length > 0) await store.batch(ops)
    return true
  }

  const flattenAll = async (): Promise<void> => {
    // the forkchoice call that brought this about is answered first
    await nextTurn()
    kicked = false
    // one by one, so that a head that moves to another branch waits for one only
    while (await exclusive.run(flattenOne)) await nextTurn()
  }

  /** What is flattened toward the old head leads to the new one as well. */
  const extendsHead = (head: SealedHeader): boolean => {
    const old = chain.label('unsafe')
    return chain.ancestorHash(head, old.header.number) === old.hash
  }

  /** Blocks from the first without state up to `block`, ascending; undoes flattening until there is one to build on. */
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
    log.warn('the state went back to an older block', {
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
        log.error('flattening the state failed', { error })
      })
    },
    async settled() {
      await background
      await exclusive.idle()
    },
  }
}
