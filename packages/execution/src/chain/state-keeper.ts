/**
 * Keeps the state where the chain is: flattens old layers in the background (batch B), and brings the
 * state back when the head goes below what is on disk. History undoes flattened blocks, stored blocks
 * are executed again; so a head never lacks its state.
 */
import type { Block, Logger } from '@keelson/primitives'
import type { KeyValueStore } from '@keelson/runtime'
import { nextTurn } from '@keelson/runtime'
import type { StateStore } from '@keelson/state'
import { ExecutionError } from '../errors.ts'
import { createExclusive } from '../exclusive.ts'
import type { ChainStore, SealedHeader } from './chain-store.ts'

export interface StateKeeper {
  /** Throws ExecutionError `execution/missing-state` when history does not reach and the blocks are not stored. */
  ensureState(block: SealedHeader): Promise<void>
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

  const flattenAll = async (): Promise<void> => {
    kicked = false
    // the forkchoice call that brought this about is answered first
    await nextTurn()
    for (;;) {
      const head = chain.label('unsafe')
      const done = await state.flatten(head.hash, chain.label('finalized').header.number)
      if (done === null) return
      const ops = done.dropped.flatMap((hash) => chain.pruneOps(hash))
      if (ops.length > 0) await store.batch(ops)
      await nextTurn()
    }
  }

  /** Blocks from the first without state up to `block`, ascending; undoes flattening until there is one to build on. */
  const missingBlocks = async (block: SealedHeader): Promise<Block[]> => {
    const missing: Block[] = []
    let at: SealedHeader = block
    while (!state.hasState(at.hash)) {
      const disk = state.disk
      if (disk !== null && disk.number >= at.header.number) {
        if ((await state.rollback()) === null) throw outOfReach(block, disk.number)
        continue
      }
      const stored = chain.block(at.hash)
      const parent = chain.header(at.header.parentHash)
      if (stored === null || parent === null) throw outOfReach(block, disk?.number ?? 0)
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
    ensureState(block) {
      return state.hasState(block.hash) ? Promise.resolve() : exclusive.run(() => restore(block))
    },
    kick() {
      if (kicked) return
      kicked = true
      exclusive.run(flattenAll).catch((error: unknown) => log.error('flattening the state failed', { error }))
    },
    settled: () => exclusive.idle(),
  }
}

function outOfReach(block: SealedHeader, disk: number): ExecutionError {
  return new ExecutionError(
    'execution/missing-state',
    `block ${block.header.number} (${block.hash}) cannot be the head: its state is gone and history does not reach it (state on disk: block ${disk}); start with an empty data directory`,
    { number: block.header.number, hash: block.hash, disk },
  )
}
