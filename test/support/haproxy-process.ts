import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { eventually } from './eventually.ts'

export interface Haproxy {
  /** Absolute path. */
  readonly command: string
  readonly version: string
}

export interface HaproxyProcess {
  readonly url: string
  readonly transactionsUrl: string
  readonly metricsUrl: string
  /** Command socket, for `set server`. */
  readonly socket: string
  stop(): Promise<void>
}

export interface HaproxyPorts {
  readonly rpc: number
  readonly metrics: number
  readonly transactions: number
}

export type HaproxyReplica = { readonly http: string; readonly ws: string }

export const HAPROXY_CONFIG = join(import.meta.dirname, '..', '..', 'config', 'haproxy', 'haproxy.cfg')
/** Debian installs it where only root's PATH looks. */
const MORE_FOLDERS = ['/usr/sbin', '/usr/local/sbin']

/** Null if none is installed. */
export function findHaproxy(): Haproxy | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...MORE_FOLDERS]
  for (const command of folders.map((folder) => join(folder, 'haproxy'))) {
    if (!existsSync(command)) continue
    const { status, stdout } = spawnSync(command, ['-v'], { encoding: 'utf8' })
    if (status === 0) return { command, version: stdout.split('-')[0]?.trim() ?? '' }
  }
  return null
}

export function haproxyEnvironment(
  ports: HaproxyPorts,
  socket: string,
  replicas: readonly HaproxyReplica[],
  routers: readonly string[] = [],
) {
  return {
    HAPROXY_SOCKET: socket,
    RPC_BIND: `127.0.0.1:${ports.rpc}`,
    HAPROXY_METRICS: `127.0.0.1:${ports.metrics}`,
    TRANSACTIONS_BIND: `127.0.0.1:${ports.transactions}`,
    ...Object.fromEntries(routers.map((router, i) => [`ROUTER_${i + 1}`, router])),
    ...Object.fromEntries(
      replicas.flatMap(({ http, ws }, i) => [
        [`REPLICA_${i + 1}`, http],
        [`REPLICA_${i + 1}_WS`, ws],
      ]),
    ),
  }
}

/** Runs the shipped configuration, and waits until `ready` replicas pass their checks. */
export async function startHaproxy(
  { command }: Haproxy,
  ports: HaproxyPorts,
  replicas: readonly HaproxyReplica[],
  routers: readonly string[] = [],
): Promise<HaproxyProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-haproxy-'))
  const socket = join(folder, 'admin.sock')
  const env = { ...process.env, ...haproxyEnvironment(ports, socket, replicas, routers) }
  const child = spawn(command, ['-db', '-f', HAPROXY_CONFIG], { stdio: ['ignore', 'pipe', 'pipe'], env })
  const exited = once(child, 'exit')
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => output.push(text))
  const url = `http://127.0.0.1:${ports.rpc}`
  await eventually('HAProxy with a ready replica', async () => {
    if (child.exitCode !== null) throw new Error(`haproxy ended with code ${child.exitCode}: ${output.join('')}`)
    return (await fetch(`${url}/readyz`)).ok
  })
  return {
    url,
    transactionsUrl: `http://127.0.0.1:${ports.transactions}`,
    metricsUrl: `http://127.0.0.1:${ports.metrics}/metrics`,
    socket,
    async stop() {
      child.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
