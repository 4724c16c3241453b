/** Which namespaces a port serves, and the classes of methods that its metrics tell apart. */
import type { RpcMethods } from '@keelson/runtime'
import { modulesMethod } from './other-namespaces.ts'

export const RPC_NAMESPACES = ['eth', 'net', 'web3', 'txpool', 'debug', 'admin', 'rollup', 'optimism'] as const
export type RpcNamespace = (typeof RPC_NAMESPACES)[number]

/** What strangers may use: nothing that shows the node's inside or that costs much more to answer than to ask. */
export const PUBLIC_NAMESPACES: readonly RpcNamespace[] = ['eth', 'net', 'web3', 'rollup', 'optimism']

/** The methods of the namespaces, and rpc_modules naming those that have any. */
export function selectNamespaces(methods: RpcMethods, namespaces: readonly RpcNamespace[]): RpcMethods {
  const selected = Object.fromEntries(
    Object.entries(methods).filter(([name]) => (namespaces as readonly string[]).includes(name.slice(0, name.indexOf('_')))),
  )
  return { ...selected, ...modulesMethod(selected) }
}

const CLASSES: readonly (readonly [RegExp, string])[] = [
  [/^eth_(sendRaw|sendTransaction)/, 'submit'],
  [/^eth_(call|estimateGas|createAccessList|simulateV1|fillTransaction)$/, 'call'],
  [/^eth_(getLogs|getFilterLogs|getFilterChanges)$/, 'logs'],
  [/^eth_(subscribe|unsubscribe|new\w*Filter|uninstallFilter)$/, 'subscribe'],
  [/^eth_getProof$/, 'proof'],
  [/^debug_/, 'debug'],
  [/^(rollup|optimism)_/, 'rollup'],
  [/^eth_/, 'read'],
]

/** One of few, by what a method costs. */
export function methodClass(method: string): string {
  return CLASSES.find(([pattern]) => pattern.test(method))?.[1] ?? 'node'
}
