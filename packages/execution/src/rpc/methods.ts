import type { RpcMethods } from '@keelson/runtime'
import { pendingMethods } from '../subblocks/pending-methods.ts'
import { limitArguments } from './argument-counts.ts'
import { debugMethods } from './debug/raw-methods.ts'
import { devMethods } from './dev/dev-methods.ts'
import { chainMethods } from './eth/chain-methods.ts'
import { feeMethods } from './eth/fee-methods.ts'
import { fillMethods } from './eth/fill-methods.ts'
import { stateMethods } from './eth/state-methods.ts'
import { submitMethods } from './eth/submit-methods.ts'
import { transactionMethods } from './eth/transaction-methods.ts'
import { type FilterStorage, Filters } from './filters/filters.ts'
import { modulesMethod } from './namespaces.ts'
import { netMethods } from './node/net-methods.ts'
import { adminMethods, networkMethods } from './node/network-methods.ts'
import { nodeInfoMethods } from './node/node-info.ts'
import { rollupMethods } from './node/rollup-methods.ts'
import { syncMethods } from './node/sync-methods.ts'
import { poolMethods } from './node/txpool-methods.ts'
import { type LanedReads, trustedReadMethods } from './read-methods.ts'
import type { RpcDependencies } from './rpc-dependencies.ts'
import { Subscriptions } from './subscriptions/subscriptions.ts'

export interface PublicMethods {
  readonly methods: RpcMethods
  readonly filterCount: () => number
  readonly subscriptionCount: () => number
  readonly waitingReads: () => number
  stop(): Promise<void>
}

export function createPublicMethods(deps: RpcDependencies, storage: FilterStorage, reads: LanedReads): PublicMethods {
  const filters = new Filters(deps, storage, reads.methods.eth_getLogs)
  const subscriptions = new Subscriptions(deps)
  const methods: RpcMethods = {
    ...pendingMethods(deps, deps.pending, (of) => ({
      ...chainMethods(of),
      ...stateMethods(of),
      ...transactionMethods(of, reads.methods.ots_getTransactionBySenderAndNonce),
    })),
    ...fillMethods(deps, reads.methods.eth_estimateGas),
    ...feeMethods(deps),
    ...submitMethods(deps),
    ...reads.methods,
    ...filters.methods,
    ...subscriptions.methods,
    ...netMethods(deps),
    ...networkMethods(deps),
    ...adminMethods(deps),
    ...nodeInfoMethods(deps),
    ...syncMethods(deps),
    ...poolMethods(deps),
    ...debugMethods(deps),
    ...rollupMethods(deps),
    ...devMethods(deps),
  }
  return {
    methods: limitArguments({ ...methods, ...modulesMethod(methods) }),
    filterCount: () => filters.count,
    subscriptionCount: () => subscriptions.count,
    waitingReads: reads.waiting,
    async stop() {
      subscriptions.stop()
      await filters.stop()
    },
  }
}

/** A consensus client's reads skip the lanes. */
export function engineSubset(methods: RpcMethods, deps: RpcDependencies): RpcMethods {
  const subset = Object.fromEntries(Object.entries(methods).filter(([name]) => /^(eth|net|web3|debug|admin)_/.test(name)))
  return { ...subset, ...trustedReadMethods(deps) }
}
