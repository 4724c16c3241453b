/** A machine of its own: etcd member, execution client, sequencer and conductor. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { etcdMember } from './etcd-member.ts'
import { type Link, openLink } from './link.ts'
import { createOpNode } from './op-node-role.ts'
import { openPeerDoor, type PeerDoor } from './peer-door.ts'
import { keelsonRole, type Restartable } from './role.ts'

export const PORTS_PER_MACHINE = 16

export interface MachinePorts {
  readonly etcd: number
  readonly etcdPeer: number
  readonly http: number
  readonly ws: number
  readonly engine: number
  readonly executionMetrics: number
  readonly rollup: number
  readonly p2p: number
  readonly consensusMetrics: number
  readonly commit: number
  readonly operator: number
  readonly conductorMetrics: number
  /** The conductor's way to each member of etcd. */
  readonly links: readonly number[]
  /** The way of the other members of etcd to its own. */
  readonly etcdDoor: number
}

export function machinePorts(ports: readonly number[]): MachinePorts {
  const [etcd, etcdPeer, http, ws, engine, executionMetrics, rollup, p2p, consensusMetrics, commit, operator, conductorMetrics, ...links] =
    ports as [number, number, number, number, number, number, number, number, number, number, number, number, ...number[]]
  const roles = { http, ws, engine, executionMetrics, rollup, p2p, consensusMetrics, commit, operator, conductorMetrics }
  return { etcd, etcdPeer, ...roles, links: links.slice(0, 3), etcdDoor: links[3] as number }
}

export interface MachineOptions {
  readonly id: string
  readonly folder: string
  readonly network: string
  readonly l1Url: string
  readonly ports: MachinePorts
  readonly others: readonly { readonly id: string; readonly ports: MachinePorts; readonly peerId: string }[]
  readonly nodeKey: string
  readonly signerKey: string
  /** Added to the conductor's clock. */
  readonly clockOffsetMs: number
  /** op-node to run as the sequencer; null for ours. */
  readonly opNode: string | null
}

export interface Machine {
  readonly id: string
  readonly ports: MachinePorts
  readonly roles: Readonly<Record<'etcd' | 'execution' | 'consensus' | 'conductor', Restartable>>
  /** The conductor's way to each member of etcd, by machine. */
  readonly links: ReadonlyMap<string, Link>
  readonly etcdDoor: PeerDoor
  start(): void
  kill(): Promise<void>
  freeze(): void
  thaw(): void
  /** Whether its conductor says that its sequencer leads. */
  leads(): Promise<boolean>
}

const local = (port: number) => `http://127.0.0.1:${port}`
const flags = (values: Readonly<Record<string, string | number>>) => Object.entries(values).map(([name, value]) => `--${name}=${value}`)

function ourConsensus(
  { id, network, l1Url, ports, signerKey }: MachineOptions,
  folder: string,
  jwt: string,
  secrets: string,
  peers: readonly string[],
): Restartable {
  return keelsonRole(
    [
      'consensus',
      ...flags({
        network,
        'log.format': 'json',
        'data-dir': folder,
        'jwt-secret': jwt,
        'l1.rpc': l1Url,
        // Never asked, as all batches are calldata.
        'l1.beacon': l1Url,
        'engine.url': local(ports.engine),
        'rpc.port': ports.rollup,
        'rpc.admin': 'true',
        'metrics.port': ports.consensusMetrics,
        'p2p.host': '127.0.0.1',
        'p2p.port': ports.p2p,
        'p2p.discovery': 'false',
        'p2p.peers': peers.join(','),
        'allow-finalized-reorg': 'true',
        role: 'sequencer',
        'sequencer.l1-confirmations': 2,
        'conductor.enabled': 'true',
        'conductor.rpc': local(ports.commit),
        'conductor.jwt-secret': join(secrets, `${id}.hex`),
      }),
    ],
    { KEELSON_P2P_SIGNER_KEY: signerKey },
  )
}

export async function createMachine(options: MachineOptions): Promise<Machine> {
  const { id, folder, network, l1Url, ports, others, nodeKey, signerKey, clockOffsetMs, opNode } = options
  const inside = (name: string) => join(folder, name)
  await mkdir(inside('consensus'), { recursive: true })
  await writeFile(join(inside('consensus'), 'node.key'), `${nodeKey}\n`, { mode: 0o600 })
  const all = [{ id, ports }, ...others].sort((a, b) => a.id.localeCompare(b.id))
  const links = new Map(
    await Promise.all(all.map(async (each, i) => [each.id, await openLink(ports.links[i] as number, each.ports.etcd)] as const)),
  )
  const etcdDoor = await openPeerDoor(ports.etcdDoor, ports.etcdPeer)
  const shared = { network, 'log.format': 'json' }
  const jwt = inside('jwt.hex')
  const secrets = inside('secrets')
  const peers = others.map((other) => `/ip4/127.0.0.1/tcp/${other.ports.p2p}/p2p/${other.peerId}`)
  const consensus =
    opNode === null
      ? ourConsensus(options, inside('consensus'), jwt, secrets, peers)
      : await createOpNode({
          binary: opNode,
          folder: inside('consensus'),
          ...{ network, l1Url, signerKey, peers, jwtFile: jwt, engineUrl: local(ports.engine), conductorUrl: local(ports.commit) },
          ...{ rpcPort: ports.rollup, p2pPort: ports.p2p },
        })
  const roles = {
    etcd: etcdMember({
      name: id,
      folder: inside('etcd'),
      clientPort: ports.etcd,
      peerPort: ports.etcdPeer,
      peerDoor: ports.etcdDoor,
      cluster: Object.fromEntries(all.map((each) => [each.id, each.ports.etcdDoor])),
      flags: ['--heartbeat-interval', '50', '--election-timeout', '500'],
    }),
    execution: keelsonRole([
      'execution',
      ...flags({
        ...shared,
        'data-dir': inside('execution'),
        'jwt-secret': jwt,
        'http.port': ports.http,
        // The comparison of long chains reads many blocks.
        'rpc.trusted': '127.0.0.1',
        'ws.port': ports.ws,
        'engine.port': ports.engine,
        'metrics.port': ports.executionMetrics,
        'rollup.rpc': local(ports.rollup),
        'http.api': 'eth,net,web3,debug',
      }),
    ]),
    consensus,
    conductor: keelsonRole([
      'conductor',
      ...flags({
        ...shared,
        'data-dir': inside('conductor'),
        'jwt-secrets': secrets,
        'l1.rpc': l1Url,
        ...(opNode === null ? {} : { 'candidates.unauthenticated': id }),
        candidates: `${id}:${ports.commit}=${local(ports.rollup)}`,
        store: `etcd://${[...links.values()].map((link) => `127.0.0.1:${link.port}`).join(',')}`,
        'store.members': all.map((each) => each.id).join(','),
        'operator.port': ports.operator,
        'metrics.port': ports.conductorMetrics,
        'clock.offset-ms': clockOffsetMs,
      }),
    ]),
  }
  const each = Object.values(roles)
  return {
    id,
    ports,
    roles,
    links,
    etcdDoor,
    start() {
      for (const role of each) role.start()
    },
    kill: async () => void (await Promise.all(each.map((role) => role.kill()))),
    freeze() {
      for (const role of each) role.freeze()
    },
    thaw() {
      for (const role of each) role.thaw()
    },
    leads: () =>
      fetch(`${local(ports.conductorMetrics)}/leader`, { signal: AbortSignal.timeout(1_000) }).then(
        ({ status }) => status === 200,
        () => false,
      ),
  }
}
