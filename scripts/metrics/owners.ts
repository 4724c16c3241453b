/** Which clients serve the metrics of a folder. A client's metrics begin with `keelson_` and its name. */
export const CLIENTS = [
  'execution',
  'consensus',
  'batcher',
  'proposer',
  'validator',
  'watcher',
  'conductor',
  'router',
  'bridge',
  'faucet',
  'index',
  'platform',
  'web',
] as const
export type Client = (typeof CLIENTS)[number]

const RPC_SERVERS: readonly Client[] = ['execution', 'consensus', 'batcher', 'proposer', 'conductor', 'router']
const L1_READERS: readonly Client[] = ['consensus', 'batcher', 'proposer', 'conductor', 'bridge', 'index']

/** The first prefix that matches a file counts. */
export const OWNERS: readonly (readonly [prefix: string, clients: readonly Client[]])[] = [
  ['packages/execution/', ['execution']],
  ['packages/consensus/', ['consensus']],
  ['packages/batcher/', ['batcher']],
  ['packages/proposer/', ['proposer']],
  ['packages/conductor/', ['conductor']],
  ['packages/platform/', ['platform']],
  ['packages/web/', ['web']],
  ['packages/validator/src/watch/', ['validator', 'watcher']],
  ['packages/validator/', ['validator']],
  ['packages/apps/src/faucet/', ['faucet']],
  ['packages/apps/src/bridge/', ['bridge']],
  ['packages/apps/src/index/', ['index']],
  ['packages/runtime/src/json-rpc/access/shared-budgets.ts', ['execution', 'router']],
  ['packages/runtime/src/json-rpc/', RPC_SERVERS],
  ['packages/runtime/src/discovery/', ['execution', 'consensus']],
  ['packages/runtime/src/peers/', ['execution', 'consensus']],
  ['packages/runtime/src/http/broadcast-server.ts', ['execution']],
  ['packages/runtime/src/health/', CLIENTS],
  ['packages/client/src/l1/', L1_READERS],
  ['packages/client/src/rpc/', CLIENTS],
  ['packages/node/src/l1/', L1_READERS],
  ['packages/node/src/role/fork-countdown.ts', ['execution', 'consensus']],
  ['packages/node/src/role/disk-check.ts', ['execution', 'consensus', 'conductor', 'bridge', 'index', 'platform']],
  ['packages/node/src/role/', CLIENTS],
  ['packages/node/src/commands/execution/', ['execution']],
  ['packages/node/src/compile/', ['execution']],
  ['packages/node/src/rpc-router/', ['router']],
  ['packages/node/src/rpc-uptime/', ['execution']],
  ['packages/node/src/tracing/', ['execution', 'consensus']],
  ['packages/node/src/rpc-workers/', ['execution']],
  ['packages/node/src/second-opinion/', ['execution']],
]

/** The values of a template's variables, by client. */
export interface TemplateValues {
  readonly prefix: string
  readonly values: readonly { readonly clients: readonly Client[]; readonly words: Readonly<Record<string, string>> }[]
}

const chainWords = (chain: string) => ({ chain, prefix: chain.toLowerCase(), 'chain.toLowerCase()': chain.toLowerCase() })

export const TEMPLATES: readonly TemplateValues[] = [
  {
    prefix: 'packages/client/src/tx/balance-watch.ts',
    values: [
      { clients: ['batcher', 'proposer'], words: chainWords('L1') },
      { clients: ['validator', 'watcher'], words: chainWords('L2') },
    ],
  },
  {
    prefix: 'packages/client/src/tx/',
    values: [
      { clients: ['batcher', 'proposer'], words: chainWords('L1') },
      { clients: ['validator', 'watcher', 'faucet'], words: chainWords('L2') },
    ],
  },
  {
    prefix: 'packages/apps/src/index/follow/',
    values: [
      { clients: ['index'], words: { prefix: 'l1' } },
      { clients: ['index'], words: { prefix: 'l2' } },
    ],
  },
]

/** These create metrics for others and define none. */
export const WRAPPERS: readonly string[] = ['packages/runtime/src/metrics.ts', 'packages/node/src/rpc-thread/relayed-metrics.ts']
