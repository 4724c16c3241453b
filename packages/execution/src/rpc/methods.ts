/** Every method of the public port, and the part of them that the engine port serves too. */
import type { RpcMethods } from '@keelson/runtime'
import { limitArguments } from './argument-counts.ts'
import { chainMethods } from './eth-chain.ts'
import { feeMethods } from './eth-fees.ts'
import { stateMethods } from './eth-state.ts'
import { submitMethods } from './eth-submit.ts'
import { createFilters, type FilterStorage } from './filters.ts'
import { nodeInfoMethods } from './node-info.ts'
import { debugMethods, modulesMethod, netMethods, poolMethods, rollupMethods } from './other-namespaces.ts'
import { lanedReadMethods, type ReadRunner, trustedReadMethods } from './read-methods.ts'
import type { RpcDependencies } from './rpc-dependencies.ts'
import { createSubscriptions } from './subscriptions.ts'

export interface PublicMethods {
  readonly methods: RpcMethods
  readonly filterCount: () => number
  readonly subscriptionCount: () => number
  /** Calls, traces and queries that have not begun. */
  readonly waitingReads: () => number
  stop(): Promise<void>
}

/** Reads that may take long run on this thread where there is no `runner`. */
export function createPublicMethods(deps: RpcDependencies, storage: FilterStorage, runner: ReadRunner | null): PublicMethods {
  const reads = lanedReadMethods(deps, runner)
  const filters = createFilters(deps, storage, reads.methods.eth_getLogs)
  const subscriptions = createSubscriptions(deps)
  const methods: RpcMethods = {
    ...chainMethods(deps),
    ...stateMethods(deps),
    ...feeMethods(deps),
    ...submitMethods(deps),
    ...reads.methods,
    ...filters.methods,
    ...subscriptions.methods,
    ...netMethods(deps),
    ...nodeInfoMethods(deps),
    ...poolMethods(deps),
    ...debugMethods(deps),
    ...rollupMethods(deps),
  }
  return {
    methods: limitArguments({ ...methods, ...modulesMethod(methods) }),
    filterCount: filters.count,
    subscriptionCount: subscriptions.count,
    waitingReads: reads.waiting,
    async stop() {
      subscriptions.stop()
      await filters.stop()
    },
  }
}

/** A consensus client reads the chain through the port it drives it with, and waits behind nobody for what it needs. */
export function engineSubset(methods: RpcMethods, deps: RpcDependencies): RpcMethods {
  const subset = Object.fromEntries(Object.entries(methods).filter(([name]) => /^(eth|net|web3|debug)_/.test(name)))
  return { ...subset, ...trustedReadMethods(deps) }
}
