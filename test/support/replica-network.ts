/** Three replicas, a router of transactions, Redis and HAProxy beside a development network, as the runbook starts them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { devnetPorts } from '../../packages/devnet/src/ports/ports.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet, withServices } from './devnet-process.ts'
import { HAPROXY_CONFIG } from './haproxy-process.ts'
import { rpcCall } from './json-rpc.ts'
import { missingLine, readRunbook } from './runbook-page.ts'
import { openRunbookShell } from './runbook-shell.ts'

export const REPLICAS = ['replica-1', 'replica-2', 'replica-3'] as const
export type ReplicaName = (typeof REPLICAS)[number]
export const ROUTERS = ['replica-1-router', 'replica-2-router'] as const
export type RouterRole = (typeof ROUTERS)[number]
export type Role = `${ReplicaName}-execution` | `${ReplicaName}-consensus` | RouterRole | 'redis' | 'haproxy'

export interface ReplicaNetwork {
  readonly devnet: DevnetProcess
  /** URL of HAProxy. */
  readonly url: string
  readonly replicaUrls: Readonly<Record<ReplicaName, string>>
  /** Runs the commands of the steps whose headings begin with these numbers, and compares what they print. */
  steps(...numbers: readonly number[]): Promise<void>
  startReplica(name: ReplicaName): Promise<void>
  startRouter(role: RouterRole): Promise<void>
  pidOf(role: Role): number
  /** Sends a command to HAProxy. */
  command(text: string): Promise<void>
  remove(): Promise<void>
}

interface Places {
  readonly replicas: readonly Readonly<Record<'http' | 'ws' | 'engine' | 'rollup' | 'p2p', number>>[]
  readonly routers: readonly number[]
  readonly transactions: number
  readonly rpc: number
  readonly metrics: number
  readonly redis: number
}

const PAGE = readFileSync(new URL('../../config/runbooks/six-machines.md', import.meta.url), 'utf8')
const SETTINGS_STEP = 1
const ROUTER_STEP = 4
const REPLICA_STEP = 5
const at = (port: number) => `127.0.0.1:${port}`

export async function openReplicaNetwork(offset: number, spare: number): Promise<ReplicaNetwork> {
  const devnet = await startDevnet(newDevnetFolder(), offset, [
    ...['--sequencers', '2', '--l1.block-time-sec', '2', '--sequencer.l1-confirmations', '2', '--batcher.data-availability', 'calldata'],
    ...withServices(),
  ])
  const folder = join(devnet.folder, 'operator')
  mkdirSync(join(folder, 'node'), { recursive: true })
  const shell = openRunbookShell(folder, { PATH: `${process.env.PATH}:/usr/sbin` })
  const places = portsFrom(spare)
  const peer = await peerOf(devnet, offset)
  const settings = settingsOf(devnet, offset, places, folder)
  const steps = async (...numbers: readonly number[]) => {
    for (const number of numbers) {
      for (const block of readRunbook(stepOf(number))) {
        if (block.kind === 'settings') continue
        const output = await shell.run(block.text)
        const missing = missingLine(block.expected, output)
        if (missing !== null) throw new Error(`step ${number}: "${missing}" is not in what was printed:\n${output}`)
      }
    }
  }
  /** The settings of one machine after the other are in the same file. */
  const load = async (changed: Readonly<Record<string, string>>) => {
    Object.assign(settings, changed)
    const lines = Object.entries(settings).map(([name, value]) => `${name}='${value}'\n`)
    writeFileSync(join(folder, 'node', 'settings'), lines.join(''))
    await steps(SETTINGS_STEP)
  }
  await load({})
  const pidOf = (role: Role) => Number(readFileSync(join(folder, 'node', `${role}.pid`), 'utf8'))
  return {
    devnet,
    url: `http://${settings.RPC_BIND}`,
    replicaUrls: Object.fromEntries(REPLICAS.map((name, i) => [name, `http://${at(places.replicas[i]?.http ?? 0)}`])) as Record<
      ReplicaName,
      string
    >,
    steps,
    async startReplica(name) {
      await load(replicaSettings(places, REPLICAS.indexOf(name), peer))
      await steps(REPLICA_STEP)
    },
    async startRouter(role) {
      const number = ROUTERS.indexOf(role)
      await load({ REPLICA: REPLICAS[number] as string, ROUTER: at(places.routers[number] as number) })
      await steps(ROUTER_STEP)
    },
    pidOf,
    async command(text) {
      await shell.run(`node -e 'require("net").connect(process.argv[1]).end(process.argv[2] + "\\n")' $HAPROXY_SOCKET '${text}'`)
    },
    async remove() {
      const roles: readonly Role[] = [
        ...REPLICAS.flatMap((name) => [`${name}-consensus`, `${name}-execution`] as const),
        ...ROUTERS,
        'redis',
        'haproxy',
      ]
      for (const role of roles) {
        try {
          process.kill(pidOf(role), 'SIGKILL')
        } catch {
          // It did not start, or has ended.
        }
      }
      await shell.close()
      await devnet.remove()
    },
  }
}

/** Names of the settings that the page explains. */
export function settingNames(): readonly string[] {
  return readRunbook(stepOf(1)).flatMap((block) => (block.kind === 'settings' ? block.names : []))
}

function stepOf(number: number): string {
  const step = PAGE.split(/^## /m).find((text) => text.startsWith(`${number}. `))
  if (step === undefined) throw new Error(`the page has no step ${number}`)
  return step
}

function portsFrom(first: number): Places {
  let next = first
  const port = () => next++
  const replicas = REPLICAS.map(() => ({ http: port(), ws: port(), engine: port(), rollup: port(), p2p: port() }))
  const routers = ROUTERS.map(port)
  return { replicas, routers, transactions: port(), rpc: port(), metrics: port(), redis: port() }
}

function replicaSettings({ replicas }: Places, index: number, peer: string): Readonly<Record<string, string>> {
  const ports = replicas[index]
  if (ports === undefined) throw new Error(`there is no replica ${index + 1}`)
  return {
    REPLICA: REPLICAS[index] as string,
    HTTP: at(ports.http),
    ROLLUP: at(ports.rollup),
    EXECUTION_OPTIONS: `--ws.port ${ports.ws} --engine.port ${ports.engine} --metrics.port 0 --rpc.threads 1 --rpc.rate 100000 --rpc.burst 100000`,
    CONSENSUS_OPTIONS: `--engine.url http://${at(ports.engine)} --metrics.port 0 --p2p.host 127.0.0.1 --p2p.port ${ports.p2p} --p2p.peers ${peer}`,
  }
}

async function peerOf({ facts }: DevnetProcess, offset: number): Promise<string> {
  const { peerID } = await rpcCall<{ readonly peerID: string }>(facts.l2.rollupRpcUrl, 'opp2p_self')
  return `/ip4/127.0.0.1/tcp/${devnetPorts(offset, 2).consensus.p2p}/p2p/${peerID}`
}

function settingsOf({ facts }: DevnetProcess, offset: number, places: Places, folder: string): Record<string, string> {
  const ports = devnetPorts(offset, 2)
  const pair = (http: number | undefined, rpc: number | undefined) => `http://${at(http ?? 0)}=http://${at(rpc ?? 0)}`
  return {
    NETWORK: facts.networkDir,
    L1_RPC: facts.l1.rpcUrl,
    L1_BEACON: facts.l1.beaconUrl,
    PRIVATE: '127.0.0.1/32',
    SEQUENCERS: [pair(ports.execution.http, ports.consensus.rpc), pair(ports.standbyExecution?.http, ports.standbyConsensus?.rpc)].join(),
    ROUTER_METRICS: '0',
    ROUTER_1: at(places.routers[0] as number),
    ROUTER_2: at(places.routers[1] as number),
    TRANSACTIONS: at(places.transactions),
    REDIS: at(places.redis),
    RPC_BIND: at(places.rpc),
    HAPROXY_METRICS: at(places.metrics),
    HAPROXY_SOCKET: join(folder, 'node', 'haproxy.sock'),
    HAPROXY_CONFIG,
    ...Object.fromEntries(
      places.replicas.flatMap(({ http, ws }, i) => [
        [`REPLICA_${i + 1}`, at(http)],
        [`REPLICA_${i + 1}_WS`, at(ws)],
      ]),
    ),
  }
}
