import { DEFAULT_EXECUTION_OPTIONS } from '@keelson/execution'
import { type OptionValues, option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { evmOptions } from '../../evm/open-engine.ts'
import { executionP2pOptions } from '../../p2p/p2p-options.ts'
import { roleOptions } from '../../role/role.ts'
import { rollupOptions } from '../../role/rollup-option.ts'
import { rpcOptions } from '../../role/rpc-options.ts'
import { rpcWorkerOptions } from '../../rpc-workers/open-rpc-workers.ts'
import { secondOpinionOptions } from '../../second-opinion/open-second-opinion.ts'
import { senderThreadOptions } from '../../senders/sender-threads.ts'
import { subblockOptions } from '../../subblocks/subblock-services.ts'
import { tracingOptions } from '../../tracing/tracing-options.ts'
import { chainFileOptions } from '../chain-file.ts'
import { stateOptions } from './state-options.ts'

/** `none` overrides the sequencer of a public network. */
const urlOrNone = Object.assign((value: unknown): string | null => (value === 'none' ? null : parse.httpUrl(value)), {
  placeholder: '<url>',
  schema: parse.text.schema,
  show: (url: string | null) => (url === null ? '' : (parse.httpUrl.show?.(url) ?? url)),
})

export const executionOptions = {
  ...rollupOptions,
  ...evmOptions,
  dataDir: option({ key: 'dataDir', parse: parse.path, description: 'Folder for chain, state and pool.' }),
  jwtSecret: optionalOption({
    key: 'jwtSecret',
    parse: parse.path,
    description: 'File with the secret shared with the consensus client; made when missing. Default: jwt.hex in the data folder.',
  }),
  httpHost: option({
    key: 'http.host',
    parse: parse.text,
    default: '127.0.0.1',
    description: 'Address the public RPC and the WebSocket listen on.',
  }),
  httpPort: option({ key: 'http.port', parse: parse.port, default: 8545, description: 'JSON-RPC over HTTP.' }),
  httpOrigins: option({
    key: 'http.origins',
    parse: parse.list(parse.text),
    default: ['*'],
    description: 'Web origins that may call; * for all.',
  }),
  httpVirtualHosts: option({
    key: 'http.vhosts',
    parse: parse.list(parse.text),
    default: ['localhost'],
    description: 'Host names answered to; * for all.',
  }),
  wsPort: option({ key: 'ws.port', parse: parse.port, default: 8546, description: 'JSON-RPC over WebSocket.' }),
  engineHost: option({ key: 'engine.host', parse: parse.text, default: '127.0.0.1', description: 'Address the engine API listens on.' }),
  engineVirtualHosts: option({
    key: 'engine.vhosts',
    parse: parse.list(parse.text),
    default: ['localhost'],
    description: 'Host names the engine API answers to, such as the name of a container; * for all.',
  }),
  enginePort: option({ key: 'engine.port', parse: parse.port, default: 8551, description: 'Engine API, behind the JWT.' }),
  metricsPort: option({ key: 'metrics.port', parse: parse.port, default: 6060, description: 'Prometheus metrics and health.' }),
  ...executionP2pOptions,
  ...tracingOptions,
  rollupRpc: optionalOption({
    key: 'rollup.rpc',
    parse: parse.httpUrl,
    description: 'RPC of the consensus client; rollup_* and optimism_* are passed on to it.',
  }),
  sequencerRpc: optionalOption({
    key: 'sequencer.rpc',
    parse: urlOrNone,
    description:
      'RPC of the sequencer; submitted transactions are passed on to it. Default: that of the public network; none: not passed on.',
  }),
  readyMaxHeadAge: option({
    key: 'ready.maxHeadAge',
    parse: parse.duration(1_000, 86_400_000),
    default: DEFAULT_EXECUTION_OPTIONS.maxHeadAgeSec * 1000,
    description: 'How old the head may be while /readyz says ready.',
  }),
  readyMaxHeadLag: option({
    key: 'ready.maxHeadLag',
    parse: parse.integer(0, 1_000_000),
    default: 10,
    description: 'Blocks the head may be behind the highest one that the consensus client of --rollup.rpc heard of.',
  }),
  devAccounts: option({
    key: 'dev.accounts',
    parse: parse.toggle,
    default: false,
    description:
      'Sign for the funded accounts of a development network (eth_sendTransaction, personal_sign and others). Refused on any other network, and beyond loopback.',
  }),
  syncWrites: option({
    key: 'store.syncWrites',
    parse: parse.toggle,
    default: false,
    description: 'Wait for the disk with every block: survives a power cut, costs milliseconds.',
  }),
  ...stateOptions,
  ...chainFileOptions,
  ...rpcOptions,
  ...rpcWorkerOptions,
  ...senderThreadOptions,
  ...subblockOptions,
  ...secondOpinionOptions,
  ...roleOptions,
} as const

export type ExecutionValues = OptionValues<typeof executionOptions>
