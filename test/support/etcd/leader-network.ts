/** L1, three machines whose conductors share etcd, a batcher, and a record of every block that any of them showed. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { peerIdOfNodeKey } from '@keelson/consensus'
import { bytesToHex, hexToBytes, keccak256, utf8ToBytes } from '@keelson/primitives'
import { DEV_ROLES } from '../../../packages/devnet/src/genesis/devnet/dev-accounts.ts'
import { blockHashes } from '../chain-reading.ts'
import { eventually } from '../eventually.ts'
import { rpcCall } from '../json-rpc.ts'
import { runKeelson } from '../keelson-process.ts'
import { createMachine, type Machine, machinePorts, PORTS_PER_MACHINE } from './machine.ts'
import { keelsonRole } from './role.ts'

export const LEADER_NETWORK_PORTS = 3 * PORTS_PER_MACHINE + 4
/** Skews that would end or prolong every lease, if clocks were compared. */
const CLOCK_OFFSETS_MS = [0, 90_000, -90_000]
const LOOK_MS = 200

export interface LeaderNetwork {
  readonly machines: readonly Machine[]
  /** Hashes by height that any machine ever had on its chain. */
  readonly seen: ReadonlyMap<number, ReadonlySet<string>>
  leader(): Promise<Machine | null>
  /** Newest lines of the batcher. */
  readonly batcherOutput: readonly string[]
  /** Highest block that any answering machine has. */
  head(among?: readonly Machine[]): Promise<number>
  /** Stops all processes. With `keep` the folder stays. */
  close(): Promise<void>
}

const local = (port: number) => `http://127.0.0.1:${port}`
const keyOf = (name: string) => bytesToHex(keccak256(utf8ToBytes(`keelson test ${name}`)))

async function headOf({ ports }: Machine): Promise<number> {
  return Number(await rpcCall<string>(local(ports.http), 'eth_blockNumber', [], 1_000).catch(() => -1))
}

/** With `opNode` the last machine's sequencer is that op-node. */
export async function startLeaderNetwork(ports: readonly number[], opNode: string | null = null): Promise<LeaderNetwork> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-leaders-'))
  const prepared = await runKeelson(['devnet', 'prepare', '--data-dir', folder])
  if (prepared.code !== 0) throw new Error(`devnet prepare failed: ${prepared.stderr}`)
  const network = join(folder, 'network')
  const [l1Port, l1Metrics, batcherAdmin, batcherMetrics, ...rest] = ports as [number, number, number, number, ...number[]]
  const l1Url = local(l1Port)
  const ids = ['one', 'two', 'three']
  const places = await Promise.all(
    ids.map(async (id, i) => {
      const nodeKey = keyOf(id)
      const own = rest.slice(i * PORTS_PER_MACHINE, (i + 1) * PORTS_PER_MACHINE)
      return { id, nodeKey: nodeKey.slice(2), peerId: await peerIdOfNodeKey(hexToBytes(nodeKey)), ports: machinePorts(own) }
    }),
  )
  const l1 = keelsonRole([
    ...['l1', '--network', network, '--data-dir', join(folder, 'l1'), '--port', String(l1Port)],
    ...['--l1.block-time-sec', '2', '--metrics.port', String(l1Metrics)],
  ])
  l1.start()
  await eventually('L1 answering', () => rpcCall<string>(l1Url, 'eth_blockNumber'))
  const machines = await Promise.all(
    places.map((place, i) =>
      createMachine({
        ...place,
        folder: join(folder, place.id),
        network,
        l1Url,
        others: places.filter((other) => other !== place),
        signerKey: DEV_ROLES.sequencer.privateKey,
        clockOffsetMs: CLOCK_OFFSETS_MS[i] as number,
        opNode: i === places.length - 1 ? opNode : null,
      }),
    ),
  )
  const batcher = keelsonRole(
    [
      ...['batcher', '--network', network, '--data-dir', join(folder, 'batcher'), '--l1.rpc', l1Url, '--data-availability', 'calldata'],
      ...['--max-channel-duration', '2', '--admin.port', String(batcherAdmin), '--metrics.port', String(batcherMetrics)],
      ...['--l2.rpc', machines.map((machine) => local(machine.ports.http)).join(',')],
      ...['--rollup.rpc', machines.map((machine) => local(machine.ports.rollup)).join(',')],
    ],
    { KEELSON_PRIVATE_KEY: DEV_ROLES.batcher.privateKey },
  )
  for (const machine of machines) machine.start()
  batcher.start()

  const seen = new Map<number, Set<string>>()
  const looking = new AbortController()
  const look = async (machine: Machine) => {
    for (let next = 1; !looking.signal.aborted; ) {
      const block = await rpcCall<{ hash: string } | null>(
        local(machine.ports.http),
        'eth_getBlockByNumber',
        [`0x${next.toString(16)}`, false],
        1_000,
      ).catch(() => null)
      if (block === null) await delay(LOOK_MS, undefined, { signal: looking.signal }).catch(() => undefined)
      else seen.set(next, (seen.get(next++) ?? new Set()).add(block.hash))
    }
  }
  const looks = machines.map(look)

  return {
    machines,
    seen,
    batcherOutput: batcher.output,
    async leader() {
      const leads = await Promise.all(machines.map((machine) => machine.leads()))
      return machines[leads.indexOf(true)] ?? null
    },
    async head(among = machines) {
      return Math.max(...(await Promise.all(among.map(headOf))))
    },
    async close() {
      looking.abort()
      await Promise.all(looks)
      for (const machine of machines) machine.thaw()
      await Promise.all([...machines.map((machine) => machine.kill()), batcher.kill(), l1.stop()])
      await Promise.all(machines.flatMap(({ links, etcdDoor }) => [...links.values(), etcdDoor].map((way) => way.close())))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Waits until all machines have derived the present head from L1, and compares the blocks up to it. */
export async function assertSameSafeChain(network: Pick<LeaderNetwork, 'machines' | 'head'>): Promise<void> {
  const head = await network.head()
  for (const { id, ports } of network.machines)
    await eventually(`safe block ${head} on ${id}`, async () => {
      // op-node serves it under this name only.
      const status = await rpcCall<{ readonly safe_l2: { readonly number: number } }>(local(ports.rollup), 'optimism_syncStatus')
      return status.safe_l2.number >= head
    })
  const [first, ...others] = await Promise.all(network.machines.map(({ ports }) => blockHashes(local(ports.http), head)))
  for (const hashes of others) assert.deepEqual(hashes, first)
}
