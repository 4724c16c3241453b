/** Entry of the thread that owns the sockets of the public RPC, the point reads and the threads of longer reads. */
import { parentPort, type Worker, workerData } from 'node:worker_threads'
import { forkLimitOf } from '@keelson/chainspec'
import { readRollupConfig } from '@keelson/devnet/network-files'
import { createPointService, type LanedReads, lanedReadMethods, methodClass, methodPrice, opChainRules } from '@keelson/execution'
import { decodeHeader, hashHeader } from '@keelson/primitives'
import { createRpcServer, createSystemClock, openLevelStore, RawJson, type RpcMethods, type RpcServer } from '@keelson/runtime'
import { type FrontDoor, openFrontDoor } from '../role/rpc-access-options.ts'
import { Revisions } from '../rpc-workers/counted-store.ts'
import { openRpcWorkers } from '../rpc-workers/open-rpc-workers.ts'
import { receivePending } from '../subblocks/pending-channel.ts'
import type { CoreMethods, PortData, RpcThreadData, SocketMethods } from './protocol.ts'
import { createRelayedLogger } from './relayed-log.ts'
import { createRelayedMetrics } from './relayed-metrics.ts'
import { RemoteRequests } from './remote-requests.ts'
import { ThreadPeer } from './thread-peer.ts'

const MIB = 2 ** 20
/** Beside those of the reading threads; excludes the state layers. */
const CACHES = { cachedBlocks: 64, chainCacheBytes: 24 * MIB, stateCacheBytes: 32 * MIB, keepMs: 1_000 }
const FLUSH_MS = 1_000

const port = parentPort
if (port === null) throw new Error('this file is the entry of a worker thread')
const data = workerData as RpcThreadData
const { workers } = data

const peer: ThreadPeer<SocketMethods, CoreMethods> = new ThreadPeer<SocketMethods, CoreMethods>(port, {
  open,
  listen,
  stop,
  async read({ request, method, params }, signal) {
    const context = request === null ? null : remote.contextOf(request)
    return textOf(await laned.methods[method](params, { transport: 'http', ...context, signal }))
  },
  run: async ({ method, params, limitMs }, signal) => textOf(await reads.run(method, params, { limitMs, signal, client: null })),
  charge: ({ request, tokens }) => remote.charge(request, tokens),
  reserve: ({ request, calls }) => remote.reserve(request, calls),
  push: ({ connection, text }) => remote.push(connection, text),
  disconnect: ({ connection, reason }) => remote.disconnect(connection, reason),
  compiler: ({ worker, port: compiler }) => waitingForCompiler.get(worker)?.postMessage({ kind: 'compiler', port: compiler }, [compiler]),
})
const clock = createSystemClock({ offsetMs: data.clockOffsetMs })
const log = createRelayedLogger((line) => peer.tell('log', line))
const relayed = createRelayedMetrics((changes) => peer.tell('metrics', { ...changes, waitingReads: laned.waiting() }))
const { metrics } = relayed
const remote = new RemoteRequests(peer)
const revisions = new Revisions(data.revisions)
const revision = () => revisions.now()
const waitingForCompiler = new Map<number, Worker>()
const servers: RpcServer[] = []
const watching = new AbortController()
let frontDoor: FrontDoor | null = null
let own: RpcMethods = {}

const reads = startWorkers()
const laned: LanedReads = lanedReadMethods(workers.rpc, reads)
const pointReads = openPointReads()
setInterval(relayed.flush, FLUSH_MS).unref()

function startWorkers() {
  const opened = openRpcWorkers(data.threads, {
    data: workers,
    revision,
    log,
    metrics,
    started(worker) {
      const id = worker.threadId
      waitingForCompiler.set(id, worker)
      worker.once('exit', () => waitingForCompiler.delete(id))
      peer.tell('compilerFor', id)
    },
  })
  if (opened === null) throw new Error('the thread of the sockets needs reading threads')
  return opened
}

async function openPointReads(): Promise<RpcMethods> {
  const rollup = readRollupConfig(workers.network, {
    allowSameChainId: workers.allowSameChainId,
    forkTimes: workers.forkTimes,
  })
  const header = decodeHeader(workers.genesisHeader)
  return createPointService(
    { genesis: { hash: hashHeader(header), header }, rpc: workers.rpc, ...CACHES },
    {
      source: await openLevelStore({ directory: workers.storeDirectory, multithreading: true }),
      revision,
      pending: receivePending(),
      rules: opChainRules(rollup.forks, forkLimitOf(rollup)),
      chainId: rollup.l2ChainId,
      version: data.version,
      clock,
    },
  )
}

async function open(): Promise<void> {
  frontDoor = await openFrontDoor(data.access, { clock, log, metrics })
  own = { ...(await pointReads), ...laned.methods }
}

async function listen(ports: readonly PortData[]): Promise<readonly string[]> {
  if (frontDoor === null) throw new Error('the access rules are not loaded')
  const { access, services } = frontDoor
  for (const service of services) await service.start(watching.signal)
  for (const { port: kind, server, methods } of ports) {
    const local = Object.fromEntries(Object.entries(own).filter(([name]) => methods.includes(name)))
    const isOwn = (method: string) => Object.hasOwn(local, method)
    const created = createRpcServer(server, {
      methods: local,
      remote: remote.methodsOf(kind, methods, isOwn),
      log,
      clock,
      metrics,
      access,
      methodClass,
      methodPrice,
      readiness: { add: () => undefined, report: () => peer.call('report', null) },
      head,
    })
    await created.start(watching.signal)
    servers.push(created)
  }
  return servers.map(({ httpUrl }) => httpUrl)
}

/** From a snapshot, like the answers. */
async function head(): Promise<number> {
  return Number(await own.eth_blockNumber?.([], { transport: 'http', signal: watching.signal }))
}

async function stop(): Promise<void> {
  await Promise.all(servers.splice(0).map((server) => server.stop()))
  watching.abort()
  await Promise.all((frontDoor?.services ?? []).map((service) => service.stop()))
  relayed.flush()
}

function textOf(answer: unknown): string {
  return answer instanceof RawJson ? answer.text : JSON.stringify(answer ?? null)
}
