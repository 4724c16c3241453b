/**
 * What each role uses on a development network, by transactions per second. The node that is measured is one of its own beside the
 * network: an execution and a consensus client whose connections to L1, beacon API and gossip are counted.
 *   npm run build && node --import=tsx scripts/bench/load/hardware/hardware.ts [--seconds N] [--rates 0,10,100] [--port-offset N]
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { devnetPorts } from '../../../../packages/devnet/src/ports/ports.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet } from '../../../../test/support/devnet-process.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { rpcCall } from '../../../../test/support/json-rpc.ts'
import { describeMachine, machineLine } from '../../machine.ts'
import { formatTable } from '../../table.ts'
import { type CountingProxy, openCountingProxy } from './counting-proxy.ts'
import { type MeasuredRole, useOf } from './role-use.ts'
import { startTransfers } from './transfers.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    rates: { type: 'string', default: '0,10,100' },
    'port-offset': { type: 'string', default: '16000' },
  },
})
const seconds = Number(values.seconds)
const rates = values.rates.split(',').map(Number)
const portOffset = Number(values['port-offset'])

const BINARY = join(import.meta.dirname, '../../../../dist/keelson.js')
const DAY_SEC = 86_400
const WARM_UP_SEC = 15
const CATCH_UP_MS = 300_000
const SPARE = 8_100 + portOffset
const FOLLOWER_RPC = `http://127.0.0.1:${SPARE}`

interface MeasuredNode {
  readonly roles: readonly MeasuredRole[]
  readonly wires: Readonly<Record<'L1' | 'beacon' | 'gossip', CountingProxy>>
  close(): Promise<void>
}

async function openNode(devnet: DevnetProcess): Promise<MeasuredNode> {
  const { facts, folder } = devnet
  const local = (port: number) => ({ host: '127.0.0.1', port })
  const to = (url: string) => local(Number(new URL(url).port))
  const wires = {
    L1: await openCountingProxy(to(facts.l1.rpcUrl)),
    beacon: await openCountingProxy(to(facts.l1.beaconUrl)),
    gossip: await openCountingProxy(local(devnetPorts(portOffset).consensus.p2p)),
  }
  const { peerID } = await rpcCall<{ readonly peerID: string }>(facts.l2.rollupRpcUrl, 'opp2p_self')
  const [http, ws, engine, executionMetrics, rpc, consensusMetrics, p2p] = Array.from({ length: 7 }, (_, i) => SPARE + i)
  const url = (port: number | undefined) => `http://127.0.0.1:${port}`
  const start = (role: string, options: Readonly<Record<string, unknown>>) => {
    const flags = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
    const dataDir = join(folder, `measured-${role}`)
    const shared = ['--network', facts.networkDir, '--jwt-secret', join(folder, 'measured.hex'), '--data-dir', dataDir]
    const child = spawn(process.execPath, [BINARY, role, ...shared, ...flags], { stdio: 'ignore' })
    return { child, role: { name: `${role}, follower`, pid: child.pid as number, folder: dataDir } }
  }
  const started = [
    start('execution', {
      'http.port': http,
      'ws.port': ws,
      'engine.port': engine,
      'metrics.port': executionMetrics,
      'rollup.rpc': url(rpc),
    }),
    start('consensus', {
      'engine.url': url(engine),
      'rpc.port': rpc,
      'metrics.port': consensusMetrics,
      'l1.rpc': url(wires.L1.port),
      'l1.beacon': url(wires.beacon.port),
      'p2p.host': '127.0.0.1',
      'p2p.port': p2p,
      'p2p.peers': `/ip4/127.0.0.1/tcp/${wires.gossip.port}/p2p/${peerID}`,
    }),
  ]
  return {
    roles: [...started.map(({ role }) => role), ...networkRoles(devnet)],
    wires,
    async close() {
      await Promise.all(started.map(({ child }) => end(child)))
      await Promise.all(Object.values(wires).map((wire) => wire.close()))
    },
  }
}

function networkRoles({ folder, rolePids }: DevnetProcess): readonly MeasuredRole[] {
  const pids = rolePids()
  const at = (role: string, name: string, data: string | null) =>
    pids[role] === undefined ? [] : [{ name, pid: pids[role], folder: data === null ? null : join(folder, data) }]
  return [
    ...at('execution', 'execution, sequencer', 'sequencer/execution'),
    ...at('consensus', 'consensus, sequencer', 'sequencer/consensus'),
    ...at('batcher', 'batcher', 'batcher'),
    ...at('proposer', 'proposer', 'proposer'),
    ...at('validator', 'duty loop', null),
    ...at('index', 'index', 'index'),
  ]
}

function end(child: ChildProcess): Promise<unknown> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  return ended
}

interface Reading {
  readonly atMs: number
  readonly roles: readonly ReturnType<typeof useOf>[]
  readonly bytes: readonly number[]
}

function read({ roles, wires }: MeasuredNode): Reading {
  return { atMs: performance.now(), roles: roles.map(useOf), bytes: Object.values(wires).map((wire) => wire.bytes()) }
}

async function transactionsIn(rpcUrl: string, from: number, to: number): Promise<number> {
  let count = 0
  for (let number = from + 1; number <= to; number++) {
    count += Number(await rpcCall<string>(rpcUrl, 'eth_getBlockTransactionCountByNumber', [`0x${number.toString(16)}`])) - 1
  }
  return count
}

const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(2)

async function measure(rate: number, node: MeasuredNode, { facts }: DevnetProcess): Promise<readonly string[]> {
  const head = async () => Number(await rpcCall<string>(FOLLOWER_RPC, 'eth_blockNumber'))
  const keys = facts.accounts.map(({ privateKey }) => privateKey)
  const load = rate === 0 ? null : startTransfers(facts.l2.rpcUrl, facts.l2.chainId, keys, rate)
  await delay(WARM_UP_SEC * 1000)
  const [firstBlock, before] = [await head(), read(node)]
  await delay(seconds * 1000)
  const [lastBlock, after] = [await head(), read(node)]
  await load?.stop()
  const sec = (after.atMs - before.atMs) / 1000
  const daily = (bytes: number) => gigabytes((bytes / sec) * DAY_SEC)
  const rows = node.roles.map(({ name, folder }, i) => {
    const [was, is] = [before.roles[i], after.roles[i]] as const
    if (was === undefined || is === undefined) throw new Error(`no figures of ${name}`)
    const percent = ((100 * (is.cpuSec - was.cpuSec)) / sec).toFixed(1)
    return [name, percent, (is.residentBytes / 1e6).toFixed(0), folder === null ? '-' : daily(is.diskBytes - was.diskBytes)]
  })
  const included = (await transactionsIn(facts.l2.rpcUrl, firstBlock, lastBlock)) / sec
  const wires = Object.keys(node.wires).map((name, i) => `${name} ${daily((after.bytes[i] ?? 0) - (before.bytes[i] ?? 0))}`)
  return [
    `${rate} transactions a second wanted, ${included.toFixed(1)} included; ${lastBlock - firstBlock} blocks in ${sec.toFixed(0)} s`,
    formatTable(['role', '% of a core', 'MB resident', 'GB of disk a day'], rows),
    `network of the follower, GB a day, both directions: ${wires.join(', ')}`,
    '',
  ]
}

async function main(): Promise<void> {
  console.log(machineLine(describeMachine()))
  console.log(`${seconds} s at each rate; a day is that extrapolated.\n`)
  const devnet = await startDevnet(newDevnetFolder(), portOffset)
  const node = await openNode(devnet)
  const head = (url: string) => rpcCall<string>(url, 'eth_blockNumber').then(Number)
  try {
    await eventually(
      'the follower has caught up',
      async () => (await head(devnet.facts.l2.rpcUrl)) - (await head(FOLLOWER_RPC)) < 3,
      CATCH_UP_MS,
    )
    for (const rate of rates) console.log((await measure(rate, node, devnet)).join('\n'))
  } finally {
    await node.close()
    await devnet.remove()
  }
}

await main()
