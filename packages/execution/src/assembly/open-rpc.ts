/** Methods of both RPC servers. */
import type { RpcMethods } from '@keelson/runtime'
import { createEngineMethods } from '../engine/engine-methods.ts'
import { createOperatorMethods } from '../engine/operator-methods.ts'
import type { ExecutionNodeDependencies } from '../execution-node.ts'
import type { ExecutionNodeOptions } from '../options.ts'
import type { ExecutionNetwork } from '../p2p/network.ts'
import { createFilterJournal } from '../rpc/filters/filter-journal.ts'
import { createPublicMethods, engineSubset } from '../rpc/methods.ts'
import { createLocalRunner, lanedReadMethods } from '../rpc/read-methods.ts'
import type { RpcDependencies } from '../rpc/rpc-dependencies.ts'
import type { Sync } from '../sync/open-sync.ts'
import type { Core } from './open-core.ts'
import type { SyncMode } from './sync-mode.ts'

export interface RpcParts {
  readonly core: Core
  readonly network: ExecutionNetwork | null
  readonly sync: Sync | null
  readonly syncMode: SyncMode
}

export async function openRpc(options: ExecutionNodeOptions, deps: ExecutionNodeDependencies, { core, network, sync, syncMode }: RpcParts) {
  const { chain, rules, engine, builder, follower } = core
  const { store, crypto } = deps
  const filterJournal = createFilterJournal(store)
  const storedFilters = await filterJournal.load(options.rpc)
  const { state, chainId, pool, log, pending } = core
  const { evm, clock, random, forwardRollup, unlocked, forwardTransaction } = deps
  const dependencies: RpcDependencies = {
    ...{ chain, state, rules, chainId, evm, crypto, pool, network, clock, random, log },
    options: options.rpc,
    version: options.version,
    historyBlocks: options.state.historyBlocks,
    onMove: follower.moves.on,
    pending: () => pending.newest,
    onPending: (listener) => pending.on(listener),
    ...(sync === null ? {} : { syncReading: sync.reading }),
    ...(forwardRollup === undefined ? {} : { forwardRollup }),
    ...(unlocked === undefined ? {} : { unlocked }),
    ...(forwardTransaction === undefined ? {} : { forwardTransaction }),
  }
  const { reads = createLocalRunner(dependencies) } = deps
  const laned = 'run' in reads ? lanedReadMethods(options.rpc, reads) : reads
  const rpc = createPublicMethods(dependencies, { journal: filterJournal, stored: storedFilters }, laned)
  const engineMethods: RpcMethods = {
    ...engineSubset(rpc.methods, dependencies),
    ...createEngineMethods({ engine, chain, rules, crypto, version: options.version, commit: options.commit }),
    ...createOperatorMethods({ builder, chain, rules, testingMethods: options.rpc.testingMethods }),
    // A consensus client asks before it leaves the sync to this client.
    keelson_syncMode: () => syncMode,
  }
  return { rpc, dependencies, engineMethods }
}
