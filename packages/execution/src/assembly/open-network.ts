import { openRawBlocks } from '../chain/raw-blocks.ts'
import type { ExecutionNodeDependencies } from '../execution-node.ts'
import { createExecutionNetwork, type ExecutionNetwork } from '../p2p/network.ts'
import { createServedStates } from '../p2p/snap/served-states.ts'
import { createSnapService } from '../p2p/snap/snap-service.ts'
import type { Core } from './open-core.ts'

/** A chain without fork points has no fork id, which peers ask for. */
export function openNetwork(
  { p2p, store, clock, random, crypto, metrics }: ExecutionNodeDependencies,
  { chain, state, pool, rules, follower, log }: Core,
): ExecutionNetwork | null {
  const forkPoints = rules.forkPoints?.(chain.genesis)
  if (p2p === undefined || forkPoints === undefined) return null
  const { options, transport, key } = p2p
  const raw = openRawBlocks(store)
  const snap = createSnapService({ states: createServedStates(chain, state), clock, log })
  const onMove = follower.moves.on
  const shared = { chain, pool, log, onMove, key, transport, store, raw, forkPoints, snap, clock, random, crypto, metrics }
  return createExecutionNetwork(options, shared)
}
