/** Measures an unauthenticated caller's work per rate limit token. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { methodPrice, PUBLIC_NAMESPACES, READ_MS_PER_TOKEN, selectNamespaces } from '@keelson/execution'
import { type BuiltPayload, bytesToHex, decodeTransaction, type Hash, toAddress } from '@keelson/primitives'
import { createDispatcher, createRpcAccess, createRpcServer, createSystemClock, DEFAULT_RPC_LIMITS, type RpcCaller } from '@keelson/runtime'
import { computeGenesisState } from '@keelson/state'
import { privateKeyToAccount } from 'viem/accounts'
import { createNativeCrypto } from '../../../packages/node/src/crypto/native-crypto.ts'
import { createBenchAccounts } from '../accounts.ts'
import { createBenchChain } from '../execution/bench-chain.ts'
import { BENCH_CHAIN_ID, createTransactionSource, WORKLOADS } from '../execution/workloads.ts'
import { describeMachine, machineLine } from '../machine.ts'
import { median } from '../measure.ts'
import { SILENT_LOGGER } from '../silent-logger.ts'
import { formatTable } from '../table.ts'
import { type BenchNode, type BlockTimes, driveBlocks, genesisStore, makeBenchBlocks, openBenchNode } from './rpc-node.ts'
import { LOG_BOMB, LOG_COUNT, STRANGER_BODIES, type StrangerCase, type StrangerChain, strangerCases } from './stranger-cases.ts'
import { startStrangers } from './strangers.ts'

const { values } = parseArgs({
  options: {
    network: { type: 'boolean', default: false },
    only: { type: 'string' },
    seconds: { type: 'string', default: '1' },
    blocks: { type: 'string', default: '10' },
    threads: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
})
const HELP = `usage: node --import=tsx scripts/bench/load/stranger.ts [--network] [--only METHODS] [--seconds N] [--blocks N] [--threads N]

  --network      measures block times under two callers at the maximum rate, instead of the cost of each method
  --only METHODS only these methods, separated by commas (with --network: the class of that name: cheap, call, logs, simulate, blocks, bodies)
  --seconds N    limit for each method; default 1
  --blocks N     blocks per phase of --network; default 10
  --threads N    reading threads; default 2`

const FULL_BLOCKS = values.network ? 24 : 132
const PER_BLOCK = 200
const FRESH = 400
const MAX_CORE_MS = 20
const MAX_REPETITIONS = 40

const crypto = createNativeCrypto()
const workload = WORKLOADS.find(({ kind }) => kind === 'erc20') as (typeof WORKLOADS)[number]
const phases = !values.network ? 0 : 1 + 3 * (values.only === undefined ? 6 : 1)
const laterBlocks = phases * Number(values.blocks)
const senders = (FULL_BLOCKS + laterBlocks) * PER_BLOCK + FRESH + 1
const accounts = createBenchAccounts(senders + 1_000, senders, crypto)
const chain = createBenchChain('rollup', BENCH_CHAIN_ID, computeGenesisState(accounts.alloc))
const folder = mkdtempSync(join(tmpdir(), 'keelson-stranger-'))
const files = { folder, chain, accounts, crypto }

async function logBomb(): Promise<Uint8Array> {
  const signer = privateKeyToAccount(bytesToHex(accounts.privateKey(senders - 1)))
  const raw = await signer.signTransaction({
    type: 'eip1559',
    chainId: Number(BENCH_CHAIN_ID),
    nonce: 0,
    data: LOG_BOMB,
    gas: BigInt(200_000 + LOG_COUNT * 900),
    maxFeePerGas: 100_000_000_000n,
    maxPriorityFeePerGas: 1n,
  })
  return Buffer.from(raw.slice(2), 'hex')
}

function chainOf(blocks: readonly BuiltPayload[], fresh: readonly Uint8Array[]): StrangerChain {
  const hashes = ({ payload }: BuiltPayload): Hash[] => payload.transactions.map((raw) => decodeTransaction(raw).hash)
  const last = blocks.at(-1) as BuiltPayload
  let used = 0
  return {
    head: last.payload.blockNumber,
    full: blocks
      .slice(0, -1)
      .map((block) => ({ hash: block.payload.blockHash, number: block.payload.blockNumber, transactions: hashes(block) })),
    logs: { hash: last.payload.blockHash, number: last.payload.blockNumber, transaction: hashes(last).at(-1) as Hash },
    token: toAddress(accounts.token),
    holder: toAddress(accounts.address(0)),
    freshTransaction: () => bytesToHex(fresh[used++ % fresh.length] as Uint8Array),
  }
}

interface Cost {
  readonly tokens: number
  readonly coreMs: number
  readonly readMs: number
  readonly failed: string | null
}

function createMeter(node: BenchNode, readTime: () => number) {
  const methods = selectNamespaces(node.node.methods, PUBLIC_NAMESPACES)
  const dispatcher = createDispatcher({ methods, limits: DEFAULT_RPC_LIMITS, log: SILENT_LOGGER, methodPrice })
  let tokens = 0
  const count = (cost: number) => {
    tokens += cost
  }
  const caller: RpcCaller = {
    tier: 'anonymous',
    client: '127.0.0.2',
    known: false,
    burst: 150,
    take(calls) {
      count(calls)
      return 0
    },
    reserve: async () => 0,
    charge: count,
  }
  // Each request comes from a different client, so that none reaches a limit.
  let clients = 0
  const ask = (body: string) => {
    const context = { signal: new AbortController().signal, transport: 'ws' as const, connection: {}, notify: () => true }
    return dispatcher.dispatch(body, context, { ...caller, client: `client ${clients++}` })
  }
  return {
    methods,
    ask,
    async measure(body: string): Promise<Cost> {
      const before = { tokens, readMs: readTime(), active: performance.eventLoopUtilization().active }
      const { text } = await ask(body)
      const failed = /"error":\{[^}]*\}?/.exec((text ?? '').slice(0, 400))?.[0] ?? null
      const coreMs = performance.eventLoopUtilization().active - before.active
      return { tokens: Math.max(1, tokens - before.tokens), coreMs, readMs: readTime() - before.readMs, failed }
    },
  }
}

const bodyOf = (method: string, params: readonly unknown[]) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

/** Returns the lowest token price and the median times. */
async function repeat(measure: (repetition: number) => Promise<Cost>): Promise<Cost> {
  await measure(0)
  const costs: Cost[] = []
  const endMs = performance.now() + Number(values.seconds) * 1_000
  for (let i = 1; i <= MAX_REPETITIONS && (costs.length < 3 || performance.now() < endMs); i++) costs.push(await measure(i))
  return {
    tokens: median(costs.map(({ tokens }) => tokens)),
    coreMs: median(costs.map(({ coreMs }) => coreMs)),
    readMs: median(costs.map(({ readMs }) => readMs)),
    failed: costs.at(-1)?.failed ?? null,
  }
}

async function measureMethods(opened: BenchNode, facts: StrangerChain, readTime: () => number): Promise<void> {
  const meter = createMeter(opened, readTime)
  const cases = strangerCases(facts)
  const unmeasured = Object.keys(meter.methods).filter(
    (name) => !/^(rollup|optimism)_/.test(name) && !cases.some(({ method }) => method === name),
  )
  if (unmeasured.length > 0) throw new Error(`public methods without a case in stranger-cases.ts: ${unmeasured.join(', ')}`)
  const rows: string[][] = []
  const row = (name: string, worst: string, bound: string, cost: Cost) => {
    const [core, read] = [cost.coreMs / cost.tokens, cost.readMs / cost.tokens]
    const above = core > MAX_CORE_MS || read > READ_MS_PER_TOKEN * 1.2
    rows.push([name, cost.tokens.toFixed(1), worst, core.toFixed(2), read.toFixed(2), bound, above ? 'ABOVE' : ''])
    console.error(`${rows.at(-1)?.join(' | ')}${cost.failed === null ? '' : `   ${cost.failed}`}`)
  }
  const wanted = (each: StrangerCase) => values.only === undefined || values.only.split(',').includes(each.method)
  for (const each of cases.filter(wanted)) {
    const cost = await repeat(async (i) => {
      if (each.prepare === undefined) return meter.measure(bodyOf(each.method, each.params(i)))
      const prepared = await meter.ask(bodyOf(...each.prepare))
      const id = JSON.parse(prepared.text ?? '{}').result
      const measured = await meter.measure(bodyOf(each.method, each.withPrepared?.(id) ?? []))
      await meter.ask(bodyOf('eth_uninstallFilter', [id]))
      return measured
    })
    row(each.method, each.worst, each.bound, cost)
  }
  if (values.only === undefined) {
    for (const { name, bound, body } of STRANGER_BODIES) row('any', name, bound, await repeat(() => meter.measure(body)))
  }
  console.log(formatTable(['method', 'tokens', 'worst request', 'core ms/token', 'read ms/token', 'bound', ''], rows))
}

async function measureNetwork(opened: BenchNode, facts: StrangerChain, blocks: readonly BuiltPayload[]): Promise<void> {
  const clock = createSystemClock()
  const server = createRpcServer(
    { name: 'RPC', host: '127.0.0.1', port: 0, http: true, ws: false },
    {
      methods: selectNamespaces(opened.node.methods, PUBLIC_NAMESPACES),
      log: SILENT_LOGGER,
      clock,
      access: createRpcAccess({ trusted: [], proxies: [] }, { clock }),
      methodPrice,
    },
  )
  await server.start(new AbortController().signal)
  const bodies = Object.fromEntries(
    strangerCases(facts).map((each) => [each.method, [0, 1, 2, 3].map((i) => bodyOf(each.method, each.params(i)))]),
  )
  const of = (...methods: string[]) => methods.flatMap((method) => bodies[method] ?? [])
  const classes: Readonly<Record<string, readonly string[]>> = {
    cheap: of('eth_chainId', 'eth_getBalance'),
    call: of('eth_call', 'eth_estimateGas', 'eth_createAccessList'),
    logs: of('eth_getLogs', 'eth_getProof', 'eth_feeHistory', 'eth_getBlockReceipts'),
    simulate: of('eth_simulateV1'),
    blocks: of('eth_getBlockByNumber', 'eth_getTransactionReceipt', 'eth_getTransactionByHash'),
    bodies: STRANGER_BODIES.map(({ body }) => body),
  }
  const { signal } = new AbortController()
  const { eth_call, debug_traceCall } = opened.node.methods
  await Promise.all([eth_call, debug_traceCall].map((read) => read?.([{ to: facts.holder }, 'latest'], { signal, transport: 'http' })))
  const share = Number(values.blocks)
  let at = 0
  const next = (): Promise<BlockTimes> => {
    const phase = blocks.slice(at, at + share)
    at += share
    return driveBlocks(opened.node, chain, phase)
  }
  const rows: string[][] = []
  try {
    await next()
    for (const [name, list] of Object.entries(classes)) {
      if (values.only !== undefined && values.only !== name) continue
      const before = await next()
      const stop = await startStrangers(server.httpUrl, list, ['127.0.0.2', '127.0.0.3'])
      const attacked = await next()
      const { answered, refused } = await stop()
      const after = await next()
      rows.push([name, ...compare(before, attacked, after), `${answered} answered, ${refused} refused`])
      console.error(rows.at(-1)?.join(' | '))
    }
  } finally {
    await server.stop()
  }
  console.log(
    formatTable(['two callers sending', 'build before', 'attacked', 'after', 'import before', 'attacked', 'after', 'requests'], rows),
  )
}

function compare(before: BlockTimes, attacked: BlockTimes, after: BlockTimes): string[] {
  const phases = [before, attacked, after]
  return [...phases.map(({ built }) => median(built)), ...phases.map(({ imported }) => median(imported))].map((ms) => ms.toFixed(1))
}

async function main(): Promise<void> {
  console.log(machineLine(describeMachine()))
  const source = createTransactionSource(accounts, crypto)
  const full = () => source.next({ workload, transactions: PER_BLOCK })
  const contents: (readonly Uint8Array[])[] = Array.from({ length: FULL_BLOCKS }, full)
  contents.push([await logBomb()])
  for (let i = 0; i < laterBlocks; i++) contents.push(full())
  const fresh = source.next({ workload, transactions: FRESH })
  const blocks = await makeBenchBlocks(files, computeGenesisState(accounts.alloc), contents)
  const directory = join(folder, 'store')
  cpSync(genesisStore(folder), directory, { recursive: true })
  let readMs = 0
  const opened = await openBenchNode(files, directory, Number(values.threads), (reads) => ({
    ...reads,
    run: (method, params, read) =>
      reads.run(method, params, {
        ...read,
        took(ms) {
          readMs += ms
          read.took?.(ms)
        },
      }),
  }))
  try {
    const before = blocks.slice(0, FULL_BLOCKS + 1)
    for (const { payload, parentBeaconBlockRoot } of before) {
      await opened.node.engine.newPayload(payload, parentBeaconBlockRoot)
      await opened.node.engine.forkchoiceUpdated({ head: payload.blockHash, safe: payload.blockHash, finalized: payload.blockHash }, null)
    }
    const facts = chainOf(before, fresh)
    await (values.network ? measureNetwork(opened, facts, blocks.slice(FULL_BLOCKS + 1)) : measureMethods(opened, facts, () => readMs))
  } finally {
    await opened.close()
  }
}

if (values.help) console.log(HELP)
else
  try {
    await main()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
