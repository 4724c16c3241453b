import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { forkLimitOf } from '@keelson/chainspec'
import { readRollupConfig } from '@keelson/devnet/network-files'
import { createReadService, opChainRules } from '@keelson/execution'
import { createPureCrypto, decodeHeader, hashHeader } from '@keelson/primitives'
import { createSystemClock, openLevelStore, RPC_ERROR_NUMBERS, RpcError, toRpcError } from '@keelson/runtime'
import { PortCompiler } from '../compile/port-compiler.ts'
import { createThreadKzgVerifier } from '../crypto/kzg-verifier.ts'
import { createNativeCrypto } from '../crypto/native-crypto.ts'
import { createPairingCurves } from '../crypto/pairing-curves.ts'
import { openEngine } from '../evm/open-engine.ts'
import { receivePending } from '../subblocks/pending-channel.ts'
import { createPortClock } from './port-clock.ts'
import type { PacedWorkerData, RpcWorkerRequest, RpcWorkerResponse, RpcWorkerUse } from './protocol.ts'
import { ReadLimit } from './read-limit.ts'
import { createThreadClock, ownThreadId, threadTimeMs } from './thread-time.ts'
import { createTimeShare } from './time-share.ts'

const MIB = 2 ** 20
/** Per worker, excluding the state layers. */
const CACHES = { cachedBlocks: 64, chainCacheBytes: 24 * MIB, stateCacheBytes: 32 * MIB, keepMs: 1_000 }

const port = parentPort
if (port === null) throw new Error('this file is the entry of a worker thread')
const data = workerData as PacedWorkerData
const { niceness, maxReadMs } = data.pace

const thread = ownThreadId()
const running = new Map<number, AbortController>()
const threadClock = createThreadClock(createSystemClock(), () => threadTimeMs(thread))
const clock = createPortClock<RpcWorkerRequest>(threadClock, port, { receive: cancels, later: receive })
const crypto = data.slowCrypto ? createPureCrypto() : createNativeCrypto()
const rollup = readRollupConfig(data.network, { allowSameChainId: data.allowSameChainId, forkTimes: data.forkTimes })
const header = decodeHeader(data.genesisHeader)
const source = await openLevelStore({ directory: data.storeDirectory, multithreading: true })
const compiler = new PortCompiler()
const service = createReadService(
  { genesis: { hash: hashHeader(header), header }, rpc: data.rpc, ...CACHES },
  {
    source,
    pending: receivePending(),
    rules: opChainRules(rollup.forks, forkLimitOf(rollup)),
    chainId: rollup.l2ChainId,
    evm: openEngine(data.evm, { crypto, kzg: createThreadKzgVerifier(), curves: await createPairingCurves() }, compiler),
    crypto,
    clock,
  },
)
const time = createTimeShare(() => threadTimeMs(thread) ?? performance.eventLoopUtilization().active)

const send = (response: RpcWorkerResponse) => port.postMessage(response)
const use = (): RpcWorkerUse => ({ snapshots: service.views.open, layerBytes: service.views.layerBytes })

async function run({ id, method, params, revision }: Extract<RpcWorkerRequest, { kind: 'run' }>): Promise<void> {
  const caller = new AbortController()
  running.set(id, caller)
  const limit = maxReadMs === null ? null : new ReadLimit(maxReadMs, clock, caller)
  try {
    const context = { signal: caller.signal, transport: 'http' } as const
    const begin = () => {
      time.begin(id)
      limit?.begin()
      send({ kind: 'began', id })
    }
    const result = await service.run(method, params, revision, context, { begin, ...(limit === null ? {} : { clock: limit.clock }) })
    const text = JSON.stringify(result ?? null)
    if (text.length > data.maxAnswerBytes) {
      const message = `response too large: at most ${data.maxAnswerBytes} bytes; ask for less at a time`
      throw new RpcError(RPC_ERROR_NUMBERS.responseTooLarge, message)
    }
    send({ kind: 'done', id, use: use(), readMs: time.end(id), text })
  } catch (error) {
    if (limit?.isExceeded === true) return send({ kind: 'long', id, use: use(), readMs: time.end(id) })
    const { number, message, data: details } = toRpcError(error)
    const inner = number === RPC_ERROR_NUMBERS.internal ? String(error instanceof Error ? error.stack : error) : null
    send({ kind: 'failed', id, use: use(), readMs: time.end(id), number, message, data: details, inner })
  } finally {
    limit?.end()
    running.delete(id)
  }
}

/** False unless the request ends a running read. */
function cancels(request: RpcWorkerRequest): boolean {
  const read = request.kind === 'cancel' ? running.get(request.id) : undefined
  read?.abort(new DOMException('the caller has gone', 'AbortError'))
  return read !== undefined
}

function receive(request: RpcWorkerRequest): void {
  if (request.kind === 'run') void run(request)
  else if (request.kind === 'compiler') compiler.connect(request.port)
  else cancels(request)
}

port.on('message', receive)
// Set last, because loading would be slow. On Linux, setpriority(2) of process 0 affects only the calling thread.
if (process.platform === 'linux' && niceness > 0) setPriority(0, niceness)
send({ kind: 'ready', thread })
