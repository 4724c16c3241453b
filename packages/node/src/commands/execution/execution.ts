import { join } from 'node:path'
import { createActivationWatch, FORK_ACTIVATES, forkLimitOf } from '@keelson/chainspec'
import { readGenesisBlock } from '@keelson/devnet/network-files'
import { createReferenceEngine } from '@keelson/evm'
import {
  createExecutionNode,
  DEFAULT_EXECUTION_OPTIONS,
  methodClass,
  methodPrice,
  opChainRules,
  type RpcNamespace,
  selectNamespaces,
} from '@keelson/execution'
import { encodeHeader } from '@keelson/primitives'
import {
  claimDataDirectory,
  createHealthServer,
  createHttpClient,
  createReadiness,
  createRpcServer,
  createStoreCheck,
  createSystemClock,
  loadJwtSecret,
  openLevelStore,
  option,
  optionalOption,
  optionParsers as parse,
  type Service,
} from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { createKzg } from '../../crypto/kzg.ts'
import { createPairingCurves } from '../../crypto/pairing-curves.ts'
import { createDiskCheck } from '../../role/disk-check.ts'
import { registerForkCountdown } from '../../role/fork-countdown.ts'
import { closing, openRole, roleOptions } from '../../role/role.ts'
import { openRollupConfig, rollupOptions } from '../../role/rollup-option.ts'
import { methodLimits, openFrontDoor, rpcOptions, serverLimits } from '../../role/rpc-options.ts'
import { openRpcUptime } from '../../rpc-uptime/rpc-uptime.ts'
import { countBatches } from '../../rpc-workers/counted-store.ts'
import { openRpcWorkers, rpcThreads, rpcWorkerOptions } from '../../rpc-workers/open-rpc-workers.ts'
import type { RpcWorkerData } from '../../rpc-workers/protocol.ts'
import { openSecondOpinion, secondOpinionOptions } from '../../second-opinion/open-second-opinion.ts'
import { VERSION } from '../../version.ts'
import { chainFileOptions, runOnChainFile } from '../chain-file.ts'
import { createDatabaseControl, DATA_LAYOUT_VERSION } from '../db/database-control.ts'
import { createRpcForwarder } from './forward-rpc.ts'
import { stateLimits, stateOptions } from './state-options.ts'

/** A payload has its transactions as hex, twice their size. */
const MAX_ENGINE_BODY_BYTES = 128 * 1024 * 1024

/** `none` overrides the sequencer of a public network. */
const urlOrNone = Object.assign((value: unknown): string | null => (value === 'none' ? null : parse.httpUrl(value)), {
  placeholder: '<url>',
  show: (url: string | null) => (url === null ? '' : (parse.httpUrl.show?.(url) ?? url)),
})

const options = {
  ...rollupOptions,
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
  ...secondOpinionOptions,
  ...roleOptions,
} as const

export const executionCommand = defineCommand({
  name: 'execution',
  summary: 'the execution client: chain, state, pool, JSON-RPC, engine API',
  usage: '[import FILE|export FILE] --data-dir FOLDER --network NETWORK [options]',
  options,
  takesArguments: true,
  async run(values, { positional }) {
    const role = openRole('execution', values)
    if (positional.length > 0) return runOnChainFile(values, role, positional, DATA_LAYOUT_VERSION)
    const { clock, log, metrics, crypto } = role
    const frontDoor = await openFrontDoor(values, role)
    const rollup = openRollupConfig(values, log, clock)
    registerForkCountdown(metrics, rollup, clock)
    const { header, accounts } = readGenesisBlock(values.network, rollup)
    await claimDataDirectory(values.dataDir, {
      version: DATA_LAYOUT_VERSION,
      role: 'execution',
      chainId: rollup.l2ChainId,
      genesisHash: rollup.genesis.l2.hash,
    })
    const { secret, warning } = await loadJwtSecret(values.jwtSecret ?? join(values.dataDir, 'jwt.hex'), { create: true })
    if (warning !== null) log.warn(warning)

    const readiness = createReadiness([createDiskCheck(values.dataDir)], { clock, log, metrics })
    const health = createHealthServer(
      { host: values.metricsHost, port: values.metricsPort, option: '--metrics.port' },
      { metrics, readiness, clock, log },
    )
    const threads = rpcThreads(values)
    const storeDirectory = join(values.dataDir, 'chain')
    const level = await openLevelStore({
      directory: storeDirectory,
      multithreading: threads > 0,
      onWriteFailure: (error) => log.error(error.message, { code: error.code }),
    })
    readiness.add(createStoreCheck(level))
    const { store, revision } = countBatches(level)
    const kzg = createKzg()
    const forwardRollup = values.rollupRpc === null ? null : createRpcForwarder(role.rpc(values.rollupRpc), 'the consensus client')
    const sequencer = values.sequencerRpc === null ? null : createRpcForwarder(role.rpc(values.sequencerRpc), 'the sequencer')
    const nodeOptions = {
      ...DEFAULT_EXECUTION_OPTIONS,
      state: stateLimits(values, rollup.blockTimeSec),
      rpc: methodLimits(values),
      syncWrites: values.syncWrites,
      version: VERSION,
    }
    const data: RpcWorkerData = {
      storeDirectory,
      network: values.network,
      allowSameChainId: values.allowSameChainId,
      genesisHeader: encodeHeader(header),
      rpc: nodeOptions.rpc,
      maxAnswerBytes: values.rpcBatchResponseMaxSize,
      slowCrypto: values.slowCrypto,
    }
    const reads = openRpcWorkers(threads, { data, revision, log, metrics })
    const node = await createExecutionNode(nodeOptions, {
      chain: { chainId: rollup.l2ChainId, rules: opChainRules(rollup.forks, forkLimitOf(rollup)), genesis: { header, alloc: accounts } },
      store,
      clock,
      random: role.random,
      log,
      metrics,
      crypto,
      evm: createReferenceEngine({ crypto, kzg, curves: await createPairingCurves() }),
      ...(reads === null ? {} : { reads }),
      ...(forwardRollup === null ? {} : { forwardRollup: forwardRollup.request }),
      ...(sequencer === null ? {} : { forwardTransaction: sequencer.submit }),
    })
    const worker = { network: values.network, allowSameChainId: values.allowSameChainId }
    const opinion = openSecondOpinion(values, { worker, reads, node, dataDir: values.dataDir, log, metrics })
    for (const check of node.checks) readiness.add(check)
    const activations = createActivationWatch(rollup.forks)
    activations.head(node.chain.label('unsafe').header.timestampSec)
    node.onBlock((block) => {
      log.info('block', {
        number: block.number,
        hash: block.hash,
        transactions: block.transactions,
        gasUsed: Number(block.gasUsed),
        gasLimit: Number(block.gasLimit),
        baseFeeWei: Number(block.baseFeeWei),
        elapsedMs: Number((block.elapsedMs ?? 0).toFixed(1)),
      })
      for (const fork of activations.head(block.timestampSec))
        log.info(FORK_ACTIVATES, { fork, block: block.number, timestampSec: block.timestampSec })
    })

    const server = (name: string, port: number, flag: string, kind: 'http' | 'ws', namespaces: readonly RpcNamespace[]): Service =>
      createRpcServer(
        {
          name,
          host: values.httpHost,
          port,
          option: flag,
          http: kind === 'http',
          ws: kind === 'ws',
          origins: values.httpOrigins,
          virtualHosts: values.httpVirtualHosts,
          ...serverLimits(values),
        },
        {
          methods: selectNamespaces(node.methods, namespaces),
          log,
          clock,
          metrics,
          access: frontDoor.access,
          methodClass,
          methodPrice,
          readiness,
        },
      )
    const engine = createRpcServer(
      {
        name: 'engine API',
        host: values.engineHost,
        port: values.enginePort,
        option: '--engine.port',
        jwtSecret: secret,
        http: true,
        ws: true,
        virtualHosts: values.engineVirtualHosts,
        limits: { maxBodyBytes: MAX_ENGINE_BODY_BYTES },
      },
      // Tokens use the machine's clock.
      { methods: node.engineMethods, log, clock: createSystemClock(), metrics },
    )
    const http = createHttpClient({ maxSockets: 1 })
    const probed = { directory: values.dataDir, host: values.httpHost, port: values.httpPort, blockTimeSec: rollup.blockTimeSec }
    const uptime = await openRpcUptime(probed, { http, clock, log, metrics })
    readiness.add(uptime.check)
    return role.run([
      health,
      closing('uptime probe', async () => http.close()),
      closing('store', () => store.close()),
      closing('kzg', kzg.close),
      ...(reads === null ? [] : [closing('RPC workers', () => reads.close())]),
      ...(opinion === null ? [] : [closing('second opinion thread', opinion.thread.close), opinion.watch]),
      node,
      createDatabaseControl(values.dataDir, node.database(store), role),
      engine,
      ...frontDoor.services,
      server('HTTP RPC', values.httpPort, '--http.port', 'http', values.httpApi),
      server('WebSocket RPC', values.wsPort, '--ws.port', 'ws', values.wsApi),
      uptime,
    ])
  },
})
