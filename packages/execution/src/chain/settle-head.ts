import { type Logger, ZERO_HASH } from '@keelson/primitives'
import { asCalled } from '@keelson/runtime'
import type { StateStore } from '@keelson/state'
import { ExecutionError } from '../errors.ts'
import type { SealedHeader } from './chain-reader.ts'
import type { ChainStore } from './chain-store.ts'

/**
 * Moves a head without state down to a block with state, as after a crash during a rollback. Throws ExecutionError
 * `execution/missing-state` and `execution/half-state`.
 */
export async function settleHead(chain: ChainStore, state: StateStore, log: Logger): Promise<void> {
  if (state.downloading) {
    throw new ExecutionError(
      'execution/half-state',
      `the data directory holds a part of a state: start ${asCalled('execution')} with --syncmode snap and peers, which completes it, or start with an empty directory`,
    )
  }
  const head = chain.label('unsafe')
  let at = head
  while (!state.hasState(at.hash)) {
    if (state.disk !== null && state.disk.number >= at.header.number) {
      if ((await state.rollback()) === null) throw stateOutOfReach(head, state.disk.number)
      continue
    }
    const parent = chain.header(at.header.parentHash)
    if (parent === null) throw stateOutOfReach(head, state.disk?.number ?? 0)
    at = { hash: at.header.parentHash, header: parent }
  }
  if (at.hash === head.hash) return
  await chain.setForkchoice({ head: at.hash, safe: ZERO_HASH, finalized: ZERO_HASH })
  log.warn(
    'the last run ended during a state rollback; the head moves to the block with state and the consensus client continues from there',
    {
      number: at.header.number,
      hash: at.hash,
      headBefore: head.header.number,
    },
  )
}

export function stateOutOfReach(block: SealedHeader, disk: number): ExecutionError {
  return new ExecutionError(
    'execution/missing-state',
    `block ${block.header.number} (${block.hash}) cannot be the head: its state is pruned and history does not reach it (state on disk: block ${disk}); start with an empty data directory`,
    { number: block.header.number, hash: block.hash, disk },
  )
}
