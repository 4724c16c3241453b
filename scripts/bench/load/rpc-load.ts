/**
 * RPC latency while blocks are full, on the development network and anvil.
 *   npm run build && node --import=tsx scripts/bench/load/rpc-load.ts
 *     [--seconds N] [--rounds N] [--tps N] [--rate N] [--port-offset N] [--distinct]
 *   --rounds  both networks run and are measured in turn; --tps  transfers per second; --rate  calls per second of each method;
 *   --distinct  parameters never repeat, so that no answer comes from a cache
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { encodeDeployData, encodeFunctionData, getContractAddress, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { anvilBinary } from '../../../packages/devnet/src/l1/anvil.ts'
import { newDevnetFolder, startDevnet } from '../../../test/support/devnet-process.ts'
import { rpcCall } from '../../../test/support/json-rpc.ts'
import { describeMachine, machineLine } from '../machine.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '1' },
    tps: { type: 'string', default: '300' },
    rate: { type: 'string', default: '50' },
    'port-offset': { type: 'string', default: '16000' },
    distinct: { type: 'boolean', default: false },
  },
})
const seconds = Number(values.seconds)
const rounds = Number(values.rounds)
const tps = Number(values.tps)
const rate = Number(values.rate)
const portOffset = Number(values['port-offset'])

const CHAIN_ID = 84_532
const BLOCK_TIME_SEC = 2
const SENDERS = 8
const CONNECTIONS = 4
const LOG_BLOCKS = 20
const TOKEN_EVERY = 2 * SENDERS
const SUBMIT_MS = 200
const SUBMIT_BATCH = 50
const WARM_UP_CALLS = 30
const token = JSON.parse(readFileSync(join(import.meta.dirname, '../../../test/fixtures/contracts/Token.json'), 'utf8'))

interface Side {
  readonly name: string
  readonly rpcUrl: string
  close(): Promise<void>
}

interface Latency {
  readonly p50: number
  readonly p99: number
  readonly answered: number
  readonly failed: number
}

interface Measured {
  readonly methods: Readonly<Record<string, Latency>>
  readonly intervalsMs: readonly number[]
  readonly transactions: number
  readonly fullestBlock: number
  readonly submitted: number
  readonly refusals: readonly string[]
}

async function openKeelson(): Promise<Side & { readonly keys: readonly Hex[]; readonly gasLimit: bigint }> {
  const devnet = await startDevnet(newDevnetFolder(), portOffset)
  const { rpcUrl } = devnet.facts.l2
  const block = await rpcCall<{ gasLimit: string }>(rpcUrl, 'eth_getBlockByNumber', ['latest', false])
  return {
    name: 'Keelson',
    rpcUrl,
    keys: devnet.facts.accounts.map(({ privateKey }) => privateKey),
    gasLimit: BigInt(block.gasLimit),
    close: () => devnet.remove(),
  }
}

async function openAnvil(gasLimit: bigint): Promise<Side> {
  const port = String(15_000 + portOffset)
  const args = ['--port', port, '--chain-id', String(CHAIN_ID), '--block-time', String(BLOCK_TIME_SEC), '--gas-limit', String(gasLimit)]
  const child: ChildProcess = spawn(anvilBinary(), [...args, '--silent'], { stdio: 'ignore' })
  const rpcUrl = `http://127.0.0.1:${port}`
  for (let i = 0; ; i++) {
    const answered = await rpcCall(rpcUrl, 'eth_chainId').then(
      () => true,
      () => false,
    )
    if (answered) break
    if (i === 100) throw new Error('anvil did not answer')
    await delay(100)
  }
  return {
    name: 'anvil',
    rpcUrl,
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function signAll(
  keys: readonly Hex[],
): Promise<{ readonly deploy: Hex; readonly token: Hex; readonly load: readonly Hex[]; readonly holder: Hex }> {
  const accounts = keys.slice(0, SENDERS).map((key) => privateKeyToAccount(key))
  const [deployer] = accounts
  if (deployer === undefined) throw new Error('no accounts')
  const fees = { chainId: CHAIN_ID, type: 'eip1559' as const, maxFeePerGas: 50_000_000_000n, maxPriorityFeePerGas: 1_000_000n }
  const tokenAddress = getContractAddress({ from: deployer.address, nonce: 0n })
  const data = encodeDeployData({ abi: token.abi, bytecode: token.bytecode, args: [10n ** 30n] })
  const deploy = await deployer.signTransaction({ ...fees, nonce: 0, gas: 2_000_000n, data })
  const nonces: number[] = accounts.map((_, i) => (i === 0 ? 1 : 0))
  const load: Hex[] = []
  for (let i = 0; i < tps * seconds * rounds; i++) {
    const from = i % accounts.length
    const account = accounts[from] as (typeof accounts)[number]
    const nonce = nonces[from] as number
    nonces[from] = nonce + 1
    const paysToken = i % TOKEN_EVERY === 0
    load.push(
      await account.signTransaction(
        paysToken
          ? {
              ...fees,
              nonce,
              gas: 100_000n,
              to: tokenAddress,
              data: encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [accounts[1]?.address, 1n] }),
            }
          : { ...fees, nonce, gas: 21_000n, to: `0x${(i + 1).toString(16).padStart(40, '0')}`, value: 1n },
      ),
    )
  }
  return { deploy, token: tokenAddress, load, holder: deployer.address }
}

async function submit(rpcUrl: string, raws: readonly Hex[]): Promise<readonly string[]> {
  const reasons: string[] = []
  for (let at = 0; at < raws.length; at += SUBMIT_BATCH) {
    const batch = raws.slice(at, at + SUBMIT_BATCH)
    const body = JSON.stringify(batch.map((raw, id) => ({ jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [raw] })))
    const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const answer = (await response.json()) as
      | { readonly error?: { readonly message: string } }[]
      | { readonly error: { readonly message: string } }
    if (!Array.isArray(answer)) reasons.push(...batch.map(() => answer.error.message))
    else reasons.push(...answer.flatMap(({ error }) => (error === undefined ? [] : [error.message])))
  }
  return reasons
}

type Signed = Awaited<ReturnType<typeof signAll>>

async function deployToken({ rpcUrl }: Side, signed: Signed): Promise<void> {
  await submit(rpcUrl, [signed.deploy])
  while ((await rpcCall<string>(rpcUrl, 'eth_getCode', [signed.token, 'latest'])) === '0x') await delay(200)
}

async function measure(side: Side, signed: Signed, sentBefore: number): Promise<Measured> {
  const ending = new AbortController()
  const intervalsMs: number[] = []
  const fullness: number[] = []
  const refusals: string[] = []
  let sent = sentBefore

  async function watchHeads(): Promise<void> {
    let seen = -1
    let atMs = 0
    while (!ending.signal.aborted) {
      const block = await rpcCall<{ number: string; gasUsed: string; gasLimit: string }>(side.rpcUrl, 'eth_getBlockByNumber', [
        'latest',
        false,
      ])
      const number = Number(block.number)
      if (number > seen) {
        const nowMs = performance.now()
        if (seen >= 0) intervalsMs.push((nowMs - atMs) / (number - seen))
        seen = number
        atMs = nowMs
        fullness.push(Number(block.gasUsed) / Number(block.gasLimit))
      }
      await delay(50)
    }
  }

  async function sendLoad(): Promise<void> {
    const began = performance.now()
    while (!ending.signal.aborted && sent < signed.load.length) {
      const due = Math.min(signed.load.length, sentBefore + Math.floor(((performance.now() - began) / 1000) * tps))
      if (due > sent) refusals.push(...(await submit(side.rpcUrl, signed.load.slice(sent, due))))
      sent = Math.max(sent, due)
      await delay(SUBMIT_MS)
    }
  }

  const call = encodeFunctionData({ abi: token.abi, functionName: 'balanceOf', args: [signed.holder] })
  const first = Number(await rpcCall<string>(side.rpcUrl, 'eth_blockNumber'))
  const queries: Readonly<Record<string, readonly unknown[]>> = {
    eth_call: [{ to: signed.token, data: call }, 'latest'],
    eth_getBlockByNumber: ['latest', false],
    eth_getLogs: [{ address: signed.token, fromBlock: `0x${Math.max(0, first - LOG_BLOCKS).toString(16)}`, toBlock: 'latest' }],
    eth_getBalance: [signed.holder, 'latest'],
  }
  for (const [method, params] of Object.entries(queries)) {
    for (let i = 0; i < WARM_UP_CALLS; i++) await rpcCall(side.rpcUrl, method, params)
  }
  const background = [watchHeads(), sendLoad()]
  const results = await Promise.all(
    Object.entries(queries).map(async ([method, params]) => {
      const result = await autocannon({
        url: side.rpcUrl,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: bodyOf(method, params),
        ...(values.distinct
          ? { requests: [{ setupRequest: (request) => ({ ...request, body: bodyOf(method, distinct(method, params)) }) }] }
          : {}),
        connections: CONNECTIONS,
        overallRate: rate,
        duration: seconds,
      })
      const { p50, p99 } = result.latency
      return [method, { p50, p99, answered: result['2xx'], failed: result.errors + result.timeouts + result.non2xx }] as const
    }),
  )
  ending.abort()
  await Promise.all(background)
  const last = Number(await rpcCall<string>(side.rpcUrl, 'eth_blockNumber'))
  let transactions = 0
  for (let number = first + 1; number <= last; number++) {
    transactions += Number(await rpcCall<string>(side.rpcUrl, 'eth_getBlockTransactionCountByNumber', [`0x${number.toString(16)}`]))
  }
  return {
    methods: Object.fromEntries(results),
    intervalsMs,
    transactions,
    fullestBlock: Math.max(0, ...fullness),
    submitted: sent - sentBefore,
    refusals,
  }
}

function bodyOf(method: string, params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

let calls = 0

function distinct(method: string, params: readonly unknown[]): readonly unknown[] {
  const address = `0x${(++calls).toString(16).padStart(40, '0')}`
  if (method === 'eth_getBalance') return [address, 'latest']
  if (method === 'eth_getLogs') return [{ ...(params[0] as object), address: [(params[0] as { address: string }).address, address] }]
  if (method !== 'eth_call') return params
  const data = encodeFunctionData({ abi: token.abi, functionName: 'balanceOf', args: [address] })
  return [{ ...(params[0] as object), data }, 'latest']
}

const quantile = (sorted: readonly number[], q: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0

function print(keelson: Measured, anvil: Measured): void {
  const ratio = (a: number, b: number) => (b === 0 ? '-' : `${(a / b).toFixed(1)}x`)
  console.log('\nlatency in ms                Keelson p50  p99    anvil p50  p99    ratio p50  p99    answered       failed')
  for (const [method, own] of Object.entries(keelson.methods)) {
    const other = anvil.methods[method] as Latency
    const cell = (value: number | string, width: number) => String(value).padStart(width)
    console.log(
      `${method.padEnd(24)}${cell(own.p50, 16)}${cell(own.p99, 5)}${cell(other.p50, 13)}${cell(other.p99, 5)}${cell(ratio(own.p50, other.p50), 13)}${cell(ratio(own.p99, other.p99), 7)}    ${own.answered}/${other.answered}    ${own.failed}/${other.failed}`,
    )
  }
  for (const [name, side] of [
    ['Keelson', keelson],
    ['anvil', anvil],
  ] as const) {
    const late = side.intervalsMs.map((ms) => Math.max(0, ms - BLOCK_TIME_SEC * 1000)).sort((a, b) => a - b)
    console.log(
      `${name}: ${side.intervalsMs.length} blocks, late by ${quantile(late, 0.5).toFixed(0)} ms p50, ${quantile(late, 0.99).toFixed(0)} ms p99; ${side.transactions} of ${side.submitted} transactions sent are in blocks, fullest block ${(side.fullestBlock * 100).toFixed(0)}%`,
    )
    if (side.refusals.length > 0) console.log(`  ${side.refusals.length} rejected, the first: ${side.refusals[0]}`)
  }
}

const median = (numbers: readonly number[]) =>
  quantile(
    [...numbers].sort((a, b) => a - b),
    0.5,
  )

function printMedians(measured: readonly { readonly keelson: Measured; readonly anvil: Measured }[]): void {
  console.log(`\nmedian ratios of ${measured.length} rounds`)
  for (const method of Object.keys(measured[0]?.keelson.methods ?? {})) {
    const ratios = (of: 'p50' | 'p99') =>
      median(measured.map(({ keelson, anvil }) => (keelson.methods[method] as Latency)[of] / (anvil.methods[method] as Latency)[of]))
    console.log(`${method.padEnd(24)} p50 ${ratios('p50').toFixed(1)}x, p99 ${ratios('p99').toFixed(1)}x`)
  }
}

console.log(machineLine(describeMachine()))
const keelson = await openKeelson()
try {
  const signed = await signAll(keelson.keys)
  const anvil = await openAnvil(keelson.gasLimit)
  try {
    const sides = [keelson, anvil]
    for (const side of sides) await deployToken(side, signed)
    const sent = [0, 0]
    const measured: { readonly keelson: Measured; readonly anvil: Measured }[] = []
    for (let round = 0; round < rounds; round++) {
      const results: Measured[] = []
      for (const [i, side] of sides.entries()) {
        const result = await measure(side, signed, sent[i] as number)
        sent[i] = (sent[i] as number) + result.submitted
        results.push(result)
      }
      const [own, other] = results as [Measured, Measured]
      print(own, other)
      measured.push({ keelson: own, anvil: other })
    }
    printMedians(measured)
  } finally {
    await anvil.close()
  }
} finally {
  await keelson.close()
}
