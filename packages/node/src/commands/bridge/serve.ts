import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type BridgeContracts,
  createBridgeHttp,
  createBridgeStatus,
  createChainReader,
  createRpcL1,
  createRpcL2,
  createWithdrawalStatus,
  readWithdrawalProgress,
} from '@keelson/apps/bridge'
import { readL1ChainConfig } from '@keelson/devnet/network-files'
import { counted } from '@keelson/primitives'
import {
  claimDataDirectory,
  createHealthServer,
  createReadiness,
  type HealthCheck,
  openLevelStore,
  option,
  optionalOption,
  optionParsers as parse,
} from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { l1Options, openL1 } from '../../l1/l1-connection.ts'
import { createDiskCheck } from '../../role/disk-check.ts'
import { closing, healthAddress, openRole, roleOptions } from '../../role/role.ts'
import { openRollupConfig, rollupOptions } from '../../role/rollup-option.ts'
import { virtualHostsOption } from '../../role/virtual-hosts.ts'
import { readContracts } from './open-network.ts'

const DATA_LAYOUT_VERSION = 1
const DAY_MS = 86_400_000

const options = {
  ...rollupOptions,
  dataDir: option({ key: 'dataDir', parse: parse.path, description: 'Folder for the index of deposits and how far they are.' }),
  ...l1Options,
  l2Rpc: option({ key: 'l2.rpc', parse: parse.httpUrl, description: 'RPC of an execution client of the rollup.' }),
  l1Messenger: optionalOption({
    key: 'l1.messenger',
    parse: parse.address,
    description:
      'L1CrossDomainMessenger; default: from addresses.json of the network. Without it, deposits through it are shown as plain calls.',
  }),
  l1StandardBridge: optionalOption({
    key: 'l1.standardBridge',
    parse: parse.address,
    description: 'L1StandardBridge; default: from addresses.json of the network. Without it, deposits through it are shown as plain calls.',
  }),
  l1StartBlock: optionalOption({
    key: 'l1.startBlock',
    parse: parse.integer(0),
    description: 'First L1 block to index; default: the one the rollup begins at. Older deposits are looked up when asked for.',
  }),
  l1PageBlocks: option({
    key: 'l1.pageBlocks',
    parse: parse.integer(1, 100_000),
    default: 1_000,
    description: 'Final L1 blocks in one question for logs; halved by itself when a node finds it too many.',
  }),
  pollIntervalMs: option({
    key: 'pollIntervalMs',
    parse: parse.integer(100, 60_000),
    default: 2_000,
    description: 'Milliseconds between two looks at L1 and L2.',
  }),
  retention: option({
    key: 'retention',
    parse: parse.duration(DAY_MS, 3_650 * DAY_MS),
    default: 90 * DAY_MS,
    description: 'How long transactions are kept after their L1 block.',
  }),
  httpHost: option({ key: 'http.host', parse: parse.text, default: '127.0.0.1', description: 'Address the status API listens on.' }),
  httpPort: option({ key: 'http.port', parse: parse.port, default: 8091, description: 'Status API.' }),
  virtualHosts: virtualHostsOption('http.vhosts', 'the status API'),
  httpCors: option({
    key: 'http.cors',
    parse: parse.list(parse.text),
    default: [],
    description: 'Origins of web pages that may ask, such as https://bridge.example; * for all. Default: none.',
  }),
  ratePerSec: option({
    key: 'rate.perSec',
    parse: parse.integer(1, 100_000),
    default: 10,
    description: 'Requests a second from one IPv4 address or IPv6 /64.',
  }),
  rateBurst: option({ key: 'rate.burst', parse: parse.integer(1, 100_000), default: 30, description: 'Requests it may make at once.' }),
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
  metricsPort: option({ key: 'metrics.port', parse: parse.port, default: 7305, description: 'Prometheus metrics and health.' }),
  ...roleOptions,
} as const

export const bridgeServeCommand = defineCommand({
  name: 'bridge serve',
  summary: 'the status of deposits as an HTTP service',
  usage: '--data-dir FOLDER --network NETWORK --l1.rpc URL --l2.rpc URL [options]',
  options,
  async run(values) {
    const role = openRole('bridge', values)
    const { clock, log, metrics } = role
    const config = openRollupConfig(values, log, clock)
    await claimDataDirectory(values.dataDir, {
      version: DATA_LAYOUT_VERSION,
      role: 'bridge',
      chainId: config.l2ChainId,
      genesisHash: config.genesis.l2.hash,
    })
    const connection = await openL1(values, role, config, readL1ChainConfig(values.network))
    const contracts = existsSync(join(values.network, 'addresses.json')) ? readContracts(values.network, config) : null
    if (contracts?.outputOracle == null)
      log.warn('withdrawals are not served: addresses.json of the network names no L2OutputOracle', { network: values.network })
    const senders = {
      messenger: values.l1Messenger ?? contracts?.messenger ?? null,
      standardBridge: values.l1StandardBridge ?? contracts?.standardBridge ?? null,
    }
    if (senders.messenger === null || senders.standardBridge === null)
      log.warn('deposits through the bridge are shown as plain calls: its contracts on L1 are not known', {
        remedy: 'give --l1.messenger and --l1.standard-bridge, or a network folder with addresses.json',
      })
    const l2 = role.rpc(values.l2Rpc)
    const store = await openLevelStore({ directory: join(values.dataDir, 'store') })
    const bridge = await createBridgeStatus(
      {
        startBlock: values.l1StartBlock ?? config.genesis.l1.number,
        senders,
        pollIntervalMs: values.pollIntervalMs,
        pageBlocks: values.l1PageBlocks,
        retentionMs: values.retention,
      },
      {
        l1: createRpcL1({ rpc: connection.rpc, client: connection.client, portal: config.depositContract }),
        l2: createRpcL2(l2),
        store,
        clock,
        log,
        metrics,
      },
    )
    const following: HealthCheck = {
      name: 'following',
      check: () => {
        const trouble = bridge.trouble()
        return trouble === null
          ? { ok: true, detail: `${counted(bridge.lagBlocks, 'L1 block')} behind` }
          : { ok: false, reason: trouble.reason }
      },
    }
    const readiness = createReadiness([following, createDiskCheck(values.dataDir, metrics)], { clock, log, metrics })
    const [onL1, onL2] = [createChainReader(connection.rpc), createChainReader(l2)]
    const withdrawalsOf = (known: BridgeContracts) =>
      createWithdrawalStatus({ read: (l2TxHash) => readWithdrawalProgress(onL1, onL2, known, l2TxHash), clock, log })
    const http = {
      host: values.httpHost,
      port: values.httpPort,
      virtualHosts: values.virtualHosts,
      corsOrigins: values.httpCors,
      rate: { perSec: values.ratePerSec, burst: values.rateBurst },
      trusted: values.httpTrusted,
      proxies: values.httpProxies,
    }
    return role.run([
      createHealthServer(healthAddress(values), { metrics, readiness, clock, log }),
      closing('store', () => store.close()),
      bridge,
      createBridgeHttp(http, {
        bridge,
        withdrawals: contracts?.outputOracle == null ? null : withdrawalsOf(contracts),
        clock,
        log,
        metrics,
      }),
    ])
  },
})
