import { MAX_ENVELOPE_REQUEST_BYTES } from '@keelson/primitives'
import {
  DEFAULT_CONNECTION_LIMITS,
  DEFAULT_RPC_LIMITS,
  forKnownCallers,
  type OptionValues,
  option,
  optionParsers as parse,
  type RpcMethods,
  type RpcServerOptions,
} from '@keelson/runtime'
import { accessOptions } from '../../role/rpc-access-options.ts'
import { limitOptions } from '../../role/rpc-options.ts'

const { rpcTimeout, rpcMaxBodyBytes, rpcMaxStrangerBodyBytes, rpcBatchResponseMaxSize, rpcMaxMemoryBytes } = limitOptions
const DEFAULT_MAX_BATCH_CALLS = 100

export const rollupRpcOptions = {
  rpcHost: option({ key: 'rpc.host', parse: parse.text, default: '127.0.0.1', description: 'Address the rollup RPC listens on.' }),
  rpcPort: option({
    key: 'rpc.port',
    parse: parse.port,
    default: 9545,
    description: 'rollup_*, optimism_* and opp2p_* over HTTP and WebSocket.',
  }),
  rpcAdmin: option({
    key: 'rpc.admin',
    parse: parse.toggle,
    default: false,
    description: 'Serve admin_*, and opp2p_* that change something, too: to callers of --rpc.trusted, and to holders of a key.',
  }),
  rpcOrigins: option({
    key: 'rpc.origins',
    parse: parse.list(parse.text),
    default: [],
    description: 'Web origins that may call; * for all. Default: none.',
  }),
  rpcVirtualHosts: option({
    key: 'rpc.vhosts',
    parse: parse.list(parse.text),
    default: ['localhost'],
    description: 'Host names answered to; * for all.',
  }),
  rpcMaxConnections: option({
    key: 'rpc.maxConnections',
    parse: parse.integer(1, 100_000),
    default: 1024,
    description: 'Connections in all.',
  }),
  rpcMaxConnectionsPerAddress: option({
    key: 'rpc.maxConnectionsPerAddress',
    parse: parse.integer(1, 100_000),
    default: 64,
    description: 'Connections from one IPv4 address or IPv6 /64; trusted networks and proxies are not counted.',
  }),
  ...accessOptions,
  rpcTrusted: option({
    key: 'rpc.trusted',
    parse: parse.list(parse.network),
    default: [parse.network('127.0.0.0/8'), parse.network('::1')],
    description: 'Networks whose callers are not limited and may call admin_*, unless they come through a proxy.',
  }),
  rpcTimeout,
  rpcMaxBodyBytes: option({
    ...rpcMaxBodyBytes,
    default: DEFAULT_RPC_LIMITS.maxBodyBytes,
    description: `${rpcMaxBodyBytes.description} With --rpc.admin at least 24 MiB, the size of a block in admin_postUnsafePayload.`,
  }),
  rpcMaxStrangerBodyBytes,
  rpcBatchRequestLimit: option({ ...limitOptions.rpcBatchRequestLimit, default: DEFAULT_MAX_BATCH_CALLS }),
  rpcBatchResponseMaxSize,
  rpcMaxMemoryBytes,
} as const
type Values = OptionValues<typeof rollupRpcOptions>

export function rollupRpcServer(values: Values): RpcServerOptions {
  return {
    name: 'rollup RPC',
    host: values.rpcHost,
    port: values.rpcPort,
    option: '--rpc.port',
    http: true,
    ws: true,
    origins: values.rpcOrigins,
    virtualHosts: values.rpcVirtualHosts,
    gzip: true,
    limits: {
      maxBodyBytes: values.rpcAdmin ? Math.max(values.rpcMaxBodyBytes, MAX_ENVELOPE_REQUEST_BYTES) : values.rpcMaxBodyBytes,
      maxStrangerBodyBytes: Math.min(values.rpcMaxStrangerBodyBytes, values.rpcMaxBodyBytes),
      maxBatchCalls: values.rpcBatchRequestLimit,
      maxResponseBytes: values.rpcBatchResponseMaxSize,
      timeoutMs: values.rpcTimeout,
    },
    connections: {
      ...DEFAULT_CONNECTION_LIMITS,
      max: values.rpcMaxConnections,
      maxPerAddress: values.rpcMaxConnectionsPerAddress,
      maxMemoryBytes: values.rpcMaxMemoryBytes,
    },
  }
}

export function rollupRpcMethods({ rpcAdmin }: Values, methods: RpcMethods, adminMethods: RpcMethods): RpcMethods {
  return rpcAdmin ? { ...methods, ...forKnownCallers(adminMethods) } : methods
}
