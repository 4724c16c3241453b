import { option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { l1Options } from '../../l1/l1-connection.ts'
import { databaseUrl } from '../../role/database-option.ts'
import { roleOptions } from '../../role/role.ts'
import { rollupOptions } from '../../role/rollup-option.ts'
import { virtualHostsOption } from '../../role/virtual-hosts.ts'

export const indexOptions = {
  ...rollupOptions,
  dataDir: option({ key: 'dataDir', parse: parse.path, description: 'Folder for the embedded database.' }),
  databaseUrl: optionalOption({
    key: 'databaseUrl',
    parse: databaseUrl,
    secret: true,
    description: 'PostgreSQL database, which several indexers may share. Default: the database embedded in this process.',
  }),
  maxConnections: option({
    key: 'databaseConnections',
    parse: parse.integer(2, 500),
    default: 10,
    description: 'Connections to PostgreSQL at once.',
  }),
  ...l1Options,
  l1Rpc: option({
    key: 'l1.rpc',
    parse: parse.list(parse.rpcUrl),
    default: [],
    description: 'RPC of L1 nodes, the preferred one first; without one, batches and deposits are not indexed.',
  }),
  l1Beacon: option({
    key: 'l1.beacon',
    parse: parse.list(parse.httpUrl),
    default: [],
    description: 'Beacon APIs for blobs, the first asked first; without one, batches in blobs are not read.',
  }),
  l1Batchers: option({
    key: 'l1.batchers',
    parse: parse.list(parse.address),
    default: [],
    description: 'Batchers besides that of the first block, for a chain that changed it.',
  }),
  l2Rpc: option({ key: 'l2.rpc', parse: parse.httpUrl, description: 'RPC of an execution client of the rollup.' }),
  pollIntervalMs: option({
    key: 'pollIntervalMs',
    parse: parse.integer(100, 60_000),
    default: 1_000,
    description: 'Milliseconds between two looks at the head.',
  }),
  httpHost: option({ key: 'http.host', parse: parse.text, default: '127.0.0.1', description: 'Address the API listens on.' }),
  httpPort: option({ key: 'http.port', parse: parse.port, default: 8092, description: 'Port of the API.' }),
  virtualHosts: virtualHostsOption('http.vhosts', 'the API'),
  httpCors: option({
    key: 'http.cors',
    parse: parse.list(parse.text),
    default: [],
    description: 'Origins of web pages that may ask, such as https://explorer.example; * for all. Default: none.',
  }),
  ratePerSec: option({
    key: 'rate.perSec',
    parse: parse.integer(1, 100_000),
    default: 20,
    description: 'Requests a second from one IPv4 address or IPv6 /64.',
  }),
  rateBurst: option({ key: 'rate.burst', parse: parse.integer(1, 100_000), default: 60, description: 'Requests it may make at once.' }),
  httpTrusted: option({
    key: 'http.trusted',
    parse: parse.list(parse.network),
    default: [],
    description: 'Networks of callers that are not limited. Default: none.',
  }),
  httpProxies: option({
    key: 'http.proxies',
    parse: parse.list(parse.network),
    default: [],
    description: 'Networks of reverse proxies: X-Forwarded-For counts from there only. Default: none.',
  }),
  metricsPort: option({ key: 'metrics.port', parse: parse.port, default: 7309, description: 'Prometheus metrics and health.' }),
  ...roleOptions,
} as const
