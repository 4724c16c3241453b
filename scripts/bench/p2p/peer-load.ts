/**
 * Memory, processor time and response times of an execution client without peers, with one, and with all that it admits, in turns on one
 * process. Each peer asks for 192 headers twice a second and announces the same ten transactions a second.
 *   npm run build && node --import=tsx scripts/bench/p2p/peer-load.ts [--max-peers N] [--more N] [--seconds N] [--rounds N] [--port N]
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { prepareNetwork } from '@keelson/devnet'
import type { Hash } from '@keelson/primitives'
import type { Hex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { dialledShare } from '../../../packages/execution/src/p2p/peers/peers-options.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { buildChain, type ExecutionProcess, startExecution } from '../../../test/support/execution-process.ts'
import { endAllKeelson } from '../../../test/support/keelson-process.ts'
import { useOf } from '../load/hardware/role-use.ts'
import { describeMachine, machineLine } from '../machine.ts'
import { median, percentile } from '../measure.ts'
import { formatTable } from '../table.ts'
import { startLightPeers } from './orders.ts'

const { values } = parseArgs({
  options: {
    'max-peers': { type: 'string', default: '50' },
    more: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '2' },
    port: { type: 'string', default: '23000' },
  },
})
const maxPeers = Number(values['max-peers'])
const more = Number(values.more)
const seconds = Number(values.seconds)
const rounds = Number(values.rounds)

const BLOCKS = 1_000
const TRANSACTIONS_PER_SEC = 10
const RPC_PAUSE_MS = 50
/** Funded on a network of the default accounts. */
const MNEMONIC = 'test test test test test test test test test test test junk'
const SENDERS = Array.from({ length: TRANSACTIONS_PER_SEC }, (_, addressIndex) => mnemonicToAccount(MNEMONIC, { addressIndex }))
const FEES = { type: 'eip1559', gas: 21_000n, maxFeePerGas: 50_000_000_000n, maxPriorityFeePerGas: 1_000_000n, value: 1n } as const

interface Phase {
  readonly peers: number
  readonly residentMiB: number
  readonly cpuShare: number
  readonly rpcMs: readonly number[]
  readonly headersMs: readonly number[]
  readonly failed: number
}

const folder = mkdtempSync(join(tmpdir(), 'keelson-bench-peers-'))
const network = join(folder, 'network')
const light = startLightPeers()
let nonce = 0

async function signTransfers(chainId: number): Promise<Hex[]> {
  const transfer = { ...FEES, chainId, nonce: nonce++ }
  return Promise.all(SENDERS.map((sender) => sender.signTransaction({ ...transfer, to: sender.address })))
}

async function measure(node: ExecutionProcess, chainId: number): Promise<Phase> {
  const use = () => useOf({ name: 'execution', pid: node.process.pid, folder: null })
  await light.order({ kind: 'latencies' })
  const [before, startedMs] = [use(), performance.now()]
  const endMs = startedMs + seconds * 1000
  const announcing = async () => {
    for (let i = 1; performance.now() < endMs; i++) {
      const raws = await signTransfers(chainId)
      await light.order({ kind: 'announce', raws })
      await delay(Math.max(0, startedMs + i * 1000 - performance.now()))
    }
  }
  const rpcMs: number[] = []
  const asking = async () => {
    while (performance.now() < endMs) {
      const sentMs = performance.now()
      await node.call('eth_getBalance', SENDERS[0]?.address, 'latest')
      rpcMs.push(performance.now() - sentMs)
      await delay(RPC_PAUSE_MS)
    }
  }
  const peers = Number(await node.call('net_peerCount'))
  await Promise.all([peers > 0 ? announcing() : null, asking()])
  const after = use()
  const { latenciesMs = [], failed = 0 } = await light.order({ kind: 'latencies' })
  return {
    peers,
    residentMiB: after.residentBytes / 2 ** 20,
    cpuShare: (after.cpuSec - before.cpuSec) / ((performance.now() - startedMs) / 1000),
    rpcMs,
    headersMs: latenciesMs,
    failed,
  }
}

const peerCount = (node: ExecutionProcess, wanted: number) =>
  eventually(`${wanted} peers`, async () => Number(await node.call('net_peerCount')) === wanted)

/** As many as the node dials are listening, the others connect. Ends with the number of refused ones, and a function that removes all. */
async function fill(node: ExecutionProcess) {
  const dialled = dialledShare(maxPeers)
  const { enodes = [] } = await light.order({ kind: 'listen', count: dialled })
  for (const enode of enodes) await node.call('admin_addPeer', enode)
  await peerCount(node, dialled)
  const { refused: early } = await light.order({ kind: 'dial', enode: node.enode, count: maxPeers - dialled })
  assert.equal(early, 0, `${early} peers refused while there were places`)
  await peerCount(node, maxPeers)
  const { refused = 0 } = await light.order({ kind: 'dial', enode: node.enode, count: more })
  return { refused, empty: () => empty(node, enodes) }
}

async function empty(node: ExecutionProcess, enodes: readonly string[] = []): Promise<void> {
  for (const enode of enodes) await node.call('admin_removePeer', enode)
  await light.order({ kind: 'leave' })
  await peerCount(node, 0)
}

function rowOf({ peers, residentMiB, cpuShare, rpcMs, headersMs, failed }: Phase): string[] {
  const ms = (all: readonly number[], share: number) => (all.length === 0 ? '' : percentile(all, share).toFixed(1))
  return [
    String(peers),
    residentMiB.toFixed(0),
    (cpuShare * 100).toFixed(1),
    ms(rpcMs, 0.5),
    ms(rpcMs, 0.99),
    ms(headersMs, 0.5),
    ms(headersMs, 0.99),
    String(headersMs.length),
    String(failed),
  ]
}

function printRatios(phases: readonly Phase[]): void {
  const of = (peers: number, read: (phase: Phase) => number) => median(phases.filter((phase) => phase.peers === peers).map(read))
  const ratio = (read: (phase: Phase) => number, base: number) => (of(maxPeers, read) / of(base, read)).toFixed(2)
  const half = (read: (phase: Phase) => readonly number[]) => (phase: Phase) => percentile(read(phase), 0.5)
  console.log(
    `${maxPeers} peers to none: memory ${ratio((phase) => phase.residentMiB, 0)}, JSON-RPC p50 ${ratio(
      half((phase) => phase.rpcMs),
      0,
    )}`,
  )
  console.log(
    `${maxPeers} peers to one: processor time ${ratio((phase) => phase.cpuShare, 1)}, headers p50 ${ratio(
      half((phase) => phase.headersMs),
      1,
    )}`,
  )
}

try {
  console.log(machineLine(describeMachine()))
  const choice = { fork: null, l1Fork: null, symbol: null, allowSameChainId: false }
  await prepareNetwork(network, choice, 1_700_000_000_000, () => assert.fail('the default network is prebuilt'))
  const args = ['--p2p.max-peers', String(maxPeers)]
  const node = await startExecution({ network, dataDir: join(folder, 'node'), port: Number(values.port), args })
  const { payload } = await buildChain(node, network, BLOCKS)
  const chainId = Number(await node.call('eth_chainId'))
  const { current } = await node.call<{ readonly current: { readonly forkId: string } }>('eth_config')
  const { hash: genesis } = await node.call<{ readonly hash: Hash }>('eth_getBlockByNumber', '0x0', false)
  await light.order({
    kind: 'chain',
    ...{ genesis, networkId: await node.call<string>('net_version'), forkHash: Number(current.forkId) },
    ...{ blocks: BLOCKS, head: payload.blockHash },
  })
  const phases: Phase[] = []
  const refusals: number[] = []
  for (let round = 0; round < rounds; round++) {
    phases.push(await measure(node, chainId))
    await light.order({ kind: 'dial', enode: node.enode, count: 1 })
    phases.push(await measure(node, chainId))
    await empty(node)
    const full = await fill(node)
    refusals.push(full.refused)
    phases.push(await measure(node, chainId))
    await full.empty()
  }
  const head = ['peers', 'MiB', 'CPU %', 'RPC p50 ms', 'p99 ms', 'headers p50 ms', 'p99 ms', 'responses', 'failed']
  console.log(formatTable(head, phases.map(rowOf)))
  printRatios(phases)
  console.log(`of ${more} more peers, ${refusals.join(' and ')} were refused`)
  const pending = await Promise.all(SENDERS.map(({ address }) => node.call<string>('eth_getTransactionCount', address, 'pending')))
  const fetched = pending.reduce((sum, count) => sum + Number(count), 0)
  console.log(`of ${nonce * SENDERS.length} announced transactions, ${fetched} are in the pool`)
} finally {
  light.close()
  await endAllKeelson()
  rmSync(folder, { recursive: true, force: true })
}
