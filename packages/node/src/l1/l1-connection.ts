import {
  type L1ChainConfig,
  type RollupConfig,
  stoppedAtUnsupportedL1Fork,
  type UnsupportedFork,
  warnOfUnsupportedL1Fork,
} from '@keelson/chainspec'
import {
  type AnswerWatch,
  createAnswerWatch,
  createFailOverL1Client,
  createFailOverRpc,
  createHttpRpcClient,
  createL1Caches,
  createL1Client,
  createL1Sources,
  createL1Until,
  createRequestRate,
  createWsRpcClient,
  estimateRequestsPerHour,
  isWrongChain,
  type L1Client,
  type RpcClient,
  type WsRpcClient,
  watchedRpc,
} from '@keelson/client'
import { type Clock, messageOf } from '@keelson/primitives'
import { type Metrics, type OptionValues, option, optionParsers as parse } from '@keelson/runtime'
import { AssemblyError } from '../errors.ts'
import type { Role } from '../role/role.ts'

export const l1Options = {
  l1Rpc: option({
    key: 'l1.rpc',
    parse: parse.list(parse.rpcUrl),
    description: 'RPC of L1 nodes, http(s) or ws(s), the preferred one first; the others stand in for it.',
  }),
  l1MaxRequestsPerSec: option({
    key: 'l1.maxRequestsPerSec',
    parse: parse.integer(0, 100_000),
    default: 0,
    description: 'Calls a second to each L1 URL at most, each call of a batch counted; 0 for no limit.',
  }),
} as const

export interface L1News {
  /** While true, polling is only a fallback. */
  readonly live: boolean
  onHead(callback: () => void): void
}

export interface L1Connection {
  readonly rpc: RpcClient
  readonly client: L1Client
  readonly answers: AnswerWatch
  readonly news: L1News | null
  sayEstimate(demand: { readonly pollIntervalMs: number; readonly sequencer: boolean }): Promise<void>
}

/** Attempts per URL if several URLs are given. */
const ATTEMPTS_OF_SEVERAL = 2
const ESTIMATE_OVER_BLOCKS = 9

export type L1Stop = ReturnType<typeof stoppedAtUnsupportedL1Fork>

/**
 * Hides L1 from the first unimplemented fork on, then calls `onStop`. Throws AssemblyError `node/usage` without a URL on the
 * right chain, `node/l1-unreachable`.
 */
export async function openL1(
  values: OptionValues<typeof l1Options>,
  role: Pick<Role, 'clock' | 'random' | 'log' | 'metrics'>,
  config: RollupConfig,
  l1Chain: L1ChainConfig,
  onStop?: (stop: L1Stop) => void,
): Promise<L1Connection> {
  const { clock, random, log, metrics } = role
  const forkWarning = warnOfUnsupportedL1Fork(l1Chain, Math.floor(clock.nowMs() / 1000))
  if (forkWarning !== null) log.warn(forkWarning)
  registerL1ForkCountdown(metrics, l1Chain.firstUnsupportedFork, clock)
  if (values.l1Rpc.length === 0) throw new AssemblyError('node/usage', 'expected at least one URL in --l1.rpc')
  const rate = createRequestRate(clock, metrics)
  const perSec = values.l1MaxRequestsPerSec
  const shared = {
    onRequest: rate.note,
    ...(perSec === 0 ? {} : { rateLimit: { perSec, burst: perSec } }),
    ...(values.l1Rpc.length === 1 ? {} : { retry: { attempts: ATTEMPTS_OF_SEVERAL } }),
  }
  const caches = createL1Caches()
  const sockets: WsRpcClient[] = []
  const members = values.l1Rpc.map((url) => {
    const socket = url.startsWith('ws') ? createWsRpcClient({ url, ...shared }, { clock, random, log, metrics }) : null
    if (socket !== null) sockets.push(socket)
    const rpc = socket ?? createHttpRpcClient({ url, ...shared }, { clock, random, log, metrics })
    return { host: rpc.host, rpc, client: createL1Client(rpc, caches) }
  })
  const sources = createL1Sources({ chainId: config.l1ChainId }, members, { clock, random, log })
  try {
    await sources.check()
  } catch (cause) {
    for (const { rpc } of members) rpc.close()
    const reason = messageOf(cause)
    if (isWrongChain(cause)) throw new AssemblyError('node/usage', `${reason}: give --l1.rpc of the right chain`, {}, { cause })
    throw new AssemblyError('node/l1-unreachable', `no L1: ${reason}; start it, or give --l1.rpc of one that answers`, {}, { cause })
  }
  const answers = createAnswerWatch(clock)
  const whole = createFailOverL1Client(sources, log)
  const fork = l1Chain.firstUnsupportedFork
  const stop = onStop ?? (({ what, why, remedy }: L1Stop) => log.error(what, { why, remedy }))
  const client = watchedClient(fork === null ? whole : untilFork(whole, fork, config, clock, stop), answers)
  return {
    rpc: watchedRpc(createFailOverRpc(sources), answers),
    client,
    answers,
    news: sockets.length === 0 ? null : createL1News(sockets),
    async sayEstimate(demand) {
      const l1BlockTimeSec = await readBlockTime(client).catch(() => null)
      if (l1BlockTimeSec === null) return
      const perHour = estimateRequestsPerHour({ ...demand, l1BlockTimeSec })
      log.info(`about ${perHour} requests an hour to L1 at its block time of ${l1BlockTimeSec} s, once caught up`, {
        hosts: members.map(({ host }) => host).join(', '),
        perSecAtMost: perSec === 0 ? 'no limit' : perSec,
        fewer: 'a longer --l1.poll-interval-ms, or a WebSocket URL',
      })
    },
  }
}

/** Allows alerts months before the fork. */
function registerL1ForkCountdown(metrics: Metrics, fork: UnsupportedFork | null, clock: Pick<Clock, 'nowMs'>): void {
  const help = 'Seconds until L1 activates a fork that this release does not implement; negative afterwards'
  metrics.gauge('l1_unsupported_fork_in_seconds', help, ['fork'], () =>
    fork === null ? [] : [[{ fork: fork.name }, Math.ceil(fork.timeSec - clock.nowMs() / 1000)]],
  )
}

function untilFork(
  client: L1Client,
  fork: UnsupportedFork,
  config: RollupConfig,
  clock: Pick<Clock, 'nowMs'>,
  stop: (stop: L1Stop) => void,
): L1Client {
  return createL1Until(client, {
    timeSec: fork.timeSec,
    firstBlock: config.genesis.l1.number,
    nowMs: clock.nowMs,
    onReached: (last) => stop(stoppedAtUnsupportedL1Fork(fork, last?.number ?? null)),
  })
}

function watchedClient(client: L1Client, watch: AnswerWatch): L1Client {
  return {
    blockRef: (at) => watch.track(client.blockRef(at)),
    header: (hash) => watch.track(client.header(hash)),
    transactions: (hash) => watch.track(client.transactions(hash)),
    receipts: (hash) => watch.track(client.receipts(hash)),
  }
}

function createL1News(sockets: readonly WsRpcClient[]): L1News {
  return {
    get live() {
      return sockets.some(({ subscribed }) => subscribed)
    },
    onHead(callback) {
      for (const socket of sockets) socket.subscribe('newHeads', callback)
    },
  }
}

async function readBlockTime(l1: L1Client): Promise<number | null> {
  const head = await l1.blockRef('latest')
  const gaps: number[] = []
  for (let block = head; block !== null && block.number > 0 && gaps.length < ESTIMATE_OVER_BLOCKS; ) {
    const parent = await l1.blockRef(block.parentHash)
    if (parent !== null) gaps.push(block.timestampSec - parent.timestampSec)
    block = parent
  }
  const median = gaps.sort((a, b) => a - b)[gaps.length >> 1] ?? 0
  return median > 0 ? median : null
}
