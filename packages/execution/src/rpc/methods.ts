/** Every method of the public port, and the part of them that the engine port serves too. */
import type { RpcMethods } from '@keelson/runtime'
import { traceMethods } from './debug-trace.ts'
import { callMethods } from './eth-call.ts'
import { chainMethods } from './eth-chain.ts'
import { feeMethods } from './eth-fees.ts'
import { logMethods } from './eth-logs.ts'
import { simulateMethods } from './eth-simulate.ts'
import { stateMethods } from './eth-state.ts'
import { submitMethods } from './eth-submit.ts'
import { createFilters, type FilterStorage } from './filters.ts'
import { nodeInfoMethods } from './node-info.ts'
import { debugMethods, modulesMethod, netMethods, poolMethods, rollupMethods } from './other-namespaces.ts'
import type { RpcDependencies } from './rpc-dependencies.ts'
import { createSubscriptions } from './subscriptions.ts'

export interface PublicMethods {
  readonly methods: RpcMethods
  readonly filterCount: () => number
  readonly subscriptionCount: () => number
  stop(): Promise<void>
}

export function createPublicMethods(deps: RpcDependencies, storage: FilterStorage): PublicMethods {
  const filters = createFilters(deps, storage)
  const subscriptions = createSubscriptions(deps)
  const methods: RpcMethods = {
    ...chainMethods(deps),
    ...stateMethods(deps),
    ...callMethods(deps),
    ...simulateMethods(deps),
    ...feeMethods(deps),
    ...submitMethods(deps),
    ...logMethods(deps),
    ...filters.methods,
    ...subscriptions.methods,
    ...netMethods(deps),
    ...nodeInfoMethods(deps),
    ...poolMethods(deps),
    ...debugMethods(deps),
    ...traceMethods(deps),
    ...rollupMethods(deps),
  }
  return {
    methods: { ...methods, ...modulesMethod(methods) },
    filterCount: filters.count,
    subscriptionCount: subscriptions.count,
    async stop() {
      subscriptions.stop()
      await filters.stop()
    },
  }
}

/** A consensus client reads the chain through the port it drives it with. */
export function engineSubset(methods: RpcMethods): RpcMethods {
  return Object.fromEntries(Object.entries(methods).filter(([name]) => /^(eth|net|web3|debug)_/.test(name)))
}
