import type { RpcMethods } from '@keelson/runtime'

/** Have methods only on a development network. */
const DEV_NAMESPACES = ['personal', 'evm', 'anvil', 'hardhat'] as const

export const RPC_NAMESPACES = [
  'eth',
  'net',
  'web3',
  'txpool',
  'debug',
  'trace',
  'ots',
  'admin',
  'rollup',
  'optimism',
  ...DEV_NAMESPACES,
] as const
export type RpcNamespace = (typeof RPC_NAMESPACES)[number]

/** Excludes namespaces that expose the node's internals or are expensive. */
export const PUBLIC_NAMESPACES: readonly RpcNamespace[] = ['eth', 'net', 'web3', 'rollup', 'optimism']

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
  [/^(debug|trace|ots)_/, 'debug'],
  [/^(rollup|optimism)_/, 'rollup'],
  [/^eth_/, 'read'],
]

/** Used as a metric label: there are only a few classes. */
export function methodClass(method: string): string {
  return CLASSES.find(([pattern]) => pattern.test(method))?.[1] ?? 'node'
}

export function modulesMethod(methods: RpcMethods): RpcMethods {
  const names = new Set(Object.keys(methods).map((method) => method.slice(0, method.indexOf('_'))))
  const modules = Object.fromEntries([...names, 'rpc'].sort().map((name) => [name, '1.0']))
  return { rpc_modules: () => modules }
}
