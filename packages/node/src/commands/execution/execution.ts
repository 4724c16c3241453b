import { join } from 'node:path'
import { forkLimitOf } from '@keelson/chainspec'
import { readGenesisBlock, readPublicNetwork } from '@keelson/devnet/network-files'
import { createExecutionNode, DEFAULT_EXECUTION_OPTIONS, type ExecutionNode, opChainRules } from '@keelson/execution'
import { encodeHeader } from '@keelson/primitives'
import {
  claimDataDirectory,
  createHealthServer,
  createHttpClient,
  createReadiness,
  createStoreCheck,
  loadJwtSecret,
  openLevelStore,
  type Readiness,
  type Service,
} from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { createCompileMetrics } from '../../compile/compile-metrics.ts'
import { CompileThread } from '../../compile/compile-thread.ts'
import { createKzg } from '../../crypto/kzg.ts'
import { createPairingCurves } from '../../crypto/pairing-curves.ts'
import { openEngine } from '../../evm/open-engine.ts'
import { openPeerToPeer } from '../../p2p/p2p-options.ts'
import { createDiskCheck } from '../../role/disk-check.ts'
import { registerForkCountdown } from '../../role/fork-countdown.ts'
import { closing, healthAddress, openRole, type Role } from '../../role/role.ts'
import { openRollup } from '../../role/rollup-option.ts'
import { openFrontDoor } from '../../role/rpc-access-options.ts'
import { methodLimits } from '../../role/rpc-options.ts'
import type { RpcThreadData } from '../../rpc-thread/protocol.ts'
import { openRpcThread, type RpcThread } from '../../rpc-thread/rpc-thread.ts'
import { openRpcUptime } from '../../rpc-uptime/rpc-uptime.ts'
import { countBatches, type Revisions } from '../../rpc-workers/counted-store.ts'
import { rpcThreads } from '../../rpc-workers/open-rpc-workers.ts'
import type { RpcWorkerData } from '../../rpc-workers/protocol.ts'
import { openSecondOpinion } from '../../second-opinion/open-second-opinion.ts'
import { openSenderThreads, senderThreads } from '../../senders/sender-threads.ts'
import { publishPending } from '../../subblocks/pending-channel.ts'
import { followSubblocks, openSubblockServer } from '../../subblocks/subblock-services.ts'
import { openTracing } from '../../tracing/open-tracing.ts'
import { traceBlocks } from '../../tracing/trace-blocks.ts'
import { VERSION } from '../../version.ts'
import { runOnChainFile } from '../chain-file.ts'
import { createDatabaseControl, DATA_LAYOUT_VERSION } from '../db/database-control.ts'
import { createRpcForwarder, SUBMIT_TIMEOUT_MS } from './forward-rpc.ts'
import { registerHeadLag } from './head-lag.ts'
import { createHeadLagCheck } from './head-lag-check.ts'
import { logBlocks } from './log-blocks.ts'
import { type ExecutionValues, executionOptions } from './options.ts'
import { createEngineServer, createPublicServers, servedMethods } from './rpc-servers.ts'
import { stateLimits } from './state-options.ts'
import { openUnlockedAccounts } from './unlocked-accounts.ts'

export const executionCommand = defineCommand({
  name: 'execution',
  summary: 'the execution client: chain, state, pool, JSON-RPC, engine API',
  usage: '[import FILE|export FILE] --data-dir FOLDER --network NETWORK [options]',
  options: executionOptions,
  takesArguments: true,
  async run(values, { positional }) {
    const role = openRole('execution', values)
    if (positional.length > 0) return runOnChainFile(values, role, positional, DATA_LAYOUT_VERSION)
    const { clock, log, metrics, crypto } = role
    const { config: rollup, forkTimes } = openRollup(values, log, clock)
    registerForkCountdown(metrics, rollup, clock)
    const unlocked = openUnlockedAccounts(values, rollup, crypto)
    const { header, accounts } = readGenesisBlock(values.network, rollup)
    await claimDataDirectory(values.dataDir, {
      version: DATA_LAYOUT_VERSION,
      role: 'execution',
      chainId: rollup.l2ChainId,
      genesisHash: rollup.genesis.l2.hash,
    })
    const { secret, warning } = await loadJwtSecret(values.jwtSecret ?? join(values.dataDir, 'jwt.hex'), { create: true })
    if (warning !== null) log.warn(warning)

    const readiness = createReadiness([createDiskCheck(values.dataDir, metrics)], { clock, log, metrics })
    const health = createHealthServer(healthAddress(values), { metrics, readiness, clock, log })
    const threads = rpcThreads(values)
    const storeDirectory = join(values.dataDir, 'chain')
    const level = await openLevelStore({
      directory: storeDirectory,
      multithreading: threads > 0,
      onWriteFailure: (error) => log.error(error.message, { code: error.code }),
    })
    readiness.add(createStoreCheck(level))
    const { store, revisions } = countBatches(level)
    const kzg = createKzg()
    const consensus = values.rollupRpc === null ? null : role.rpc(values.rollupRpc)
    const forwardRollup = consensus === null ? null : createRpcForwarder(consensus, 'the consensus client')
    const sequencer =
      values.sequencerRpc === null ? null : createRpcForwarder(role.rpc(values.sequencerRpc), 'the sequencer', SUBMIT_TIMEOUT_MS)
    const nodeOptions = {
      ...DEFAULT_EXECUTION_OPTIONS,
      state: stateLimits(values, rollup.blockTimeSec),
      rpc: methodLimits(values),
      syncWrites: values.syncWrites,
      maxHeadAgeSec: values.readyMaxHeadAge / 1000,
      version: VERSION,
    }
    const data: RpcWorkerData = {
      storeDirectory,
      network: values.network,
      allowSameChainId: values.allowSameChainId,
      forkTimes,
      genesisHeader: encodeHeader(header),
      rpc: nodeOptions.rpc,
      maxAnswerBytes: values.rpcBatchResponseMaxSize,
      slowCrypto: values.slowCrypto,
      evm: values.evm,
    }
    const compileMetrics = createCompileMetrics(metrics)
    const compiled = { directory: join(values.dataDir, 'compiled-code') }
    const compiler = values.evm === 'wasm' ? new CompileThread(log, compiled, { observer: compileMetrics.thread }) : null
    const rpc = threads === 0 ? null : await openRpcThread(rpcThreadData(values, data, revisions), { log, metrics, compiler })
    const recoveryThreads = openSenderThreads(senderThreads(values), { slowCrypto: values.slowCrypto }, log)
    const isPublicNetwork = readPublicNetwork(values.network) !== null
    const client = `Keelson/v${VERSION}/${process.platform}-${process.arch}/node${process.versions.node}`
    const p2p = await openPeerToPeer(values, { chainId: rollup.l2ChainId, isPublicNetwork, client })
    const subblocks = openSubblockServer(values, role)
    const follows = values.subblocksUrl !== null
    const node = await createExecutionNode(nodeOptions, {
      chain: { chainId: rollup.l2ChainId, rules: opChainRules(rollup.forks, forkLimitOf(rollup)), genesis: { header, alloc: accounts } },
      store,
      clock,
      random: role.random,
      log,
      metrics,
      crypto,
      evm: openEngine(values.evm, { crypto, kzg, curves: await createPairingCurves() }, compiler, compileMetrics.tiers),
      ...(rpc === null ? {} : { reads: rpc.reads }),
      ...(recoveryThreads === null ? {} : { recoveryThreads }),
      ...(p2p === null ? {} : { p2p }),
      ...(forwardRollup === null ? {} : { forwardRollup: forwardRollup.request }),
      ...(sequencer === null ? {} : { forwardTransaction: sequencer.submit }),
      ...(subblocks === null && !follows ? {} : { subblocks: { listeners: subblocks, follows } }),
      ...(unlocked === null ? {} : { unlocked }),
    })
    const worker = { network: values.network, allowSameChainId: values.allowSameChainId, forkTimes }
    const opinion = openSecondOpinion(values, { worker, reads: rpc?.runner ?? null, node, dataDir: values.dataDir, log, metrics })
    const pending = follows ? publishPending(node) : null
    const follower = followSubblocks(values.subblocksUrl, node, role)
    registerHeadLag(metrics, node.chain, clock, rollup.blockTimeSec)
    for (const check of node.checks) readiness.add(check)
    if (consensus !== null) readiness.add(createHeadLagCheck(values.readyMaxHeadLag, { chain: node.chain, consensus }))
    logBlocks(node, rollup.forks, log)
    const tracing = await openTracing('execution', values, role)
    if (tracing !== null) traceBlocks(node, tracing, clock)
    const http = createHttpClient({ maxSockets: 1 })
    const probed = { directory: values.dataDir, host: values.httpHost, port: values.httpPort, blockTimeSec: rollup.blockTimeSec }
    const uptime = await openRpcUptime(probed, { http, clock, log, metrics })
    readiness.add(uptime.check)
    return role.run([
      health,
      closing('uptime probe', async () => http.close()),
      closing('store', () => store.close()),
      ...(tracing === null ? [] : [tracing.service]),
      closing('kzg', kzg.close),
      ...(rpc === null ? [] : [closing('RPC threads', rpc.close)]),
      ...(compiler === null ? [] : [closing('compile thread', () => compiler.close())]),
      ...(recoveryThreads === null ? [] : [closing('sender threads', () => recoveryThreads.close())]),
      ...(opinion === null ? [] : [closing('second opinion thread', opinion.thread.close), opinion.watch]),
      node,
      ...(node.network === null ? [] : [node.network]),
      createDatabaseControl(values.dataDir, node.database(store), role),
      createEngineServer(values, secret, node, role),
      ...(subblocks === null ? [] : [subblocks]),
      ...(follower === null ? [] : [follower]),
      ...(pending === null ? [] : [closing('pending block', async () => pending.close())]),
      ...(await publicServices(values, rpc, { node, readiness }, role)),
      uptime,
    ])
  },
})

function rpcThreadData(values: ExecutionValues, workers: RpcWorkerData, revisions: Revisions): RpcThreadData {
  const { rpcRate, rpcBurst, rpcKeysFile, rpcTrusted, rpcProxies, rpcLimits } = values
  return {
    workers,
    threads: rpcThreads(values),
    revisions: revisions.shared,
    version: VERSION,
    clockOffsetMs: values.clockOffsetMs,
    access: { rpcRate, rpcBurst, rpcKeysFile, rpcTrusted, rpcProxies, rpcLimits },
  }
}

/** Without reading threads, this thread owns the sockets too. */
async function publicServices(
  values: ExecutionValues,
  rpc: RpcThread | null,
  parts: { readonly node: ExecutionNode; readonly readiness: Readiness },
  role: Role,
): Promise<readonly Service[]> {
  if (rpc !== null) return [rpc.serve(servedMethods(values, parts, role))]
  const { access, services } = await openFrontDoor(values, role)
  return [...services, ...createPublicServers(values, { ...parts, access }, role)]
}
