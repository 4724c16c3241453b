import type { ExecutionNodeDependencies } from '../execution-node.ts'

/**
 * How unknown blocks that the consensus client names are fetched from peers. `full` executes each. `snap` fetches the state of a
 * recent block into an empty chain, and then does as `full`. `none` does not fetch.
 */
export type SyncMode = 'full' | 'snap' | 'none'

/** `none` for a node that cannot have peers. */
export function syncModeOf({ syncPeers, p2p, syncMode, chain }: ExecutionNodeDependencies): SyncMode {
  // A chain without fork points has no fork id, which peers ask for.
  const hasPeers = syncPeers !== undefined || (p2p !== undefined && chain.rules.forkPoints !== undefined)
  return hasPeers ? (syncMode ?? p2p?.sync ?? 'full') : 'none'
}
