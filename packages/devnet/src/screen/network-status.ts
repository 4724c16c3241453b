import { readFileSync } from 'node:fs'
import { describeForksToCome } from '@keelson/chainspec'
import { counted, l2Time, messageOf } from '@keelson/primitives'
import { createHttpClient, createJwt, createSystemClock, loadJwtSecret, npmScript } from '@keelson/runtime'
import { readRollupConfig } from '../network-files/network-files.ts'
import { healthPorts } from '../ports/health-ports.ts'
import { devnetPorts } from '../ports/ports.ts'
import { type DevnetFile, devnetFilePath } from '../prepare/devnet-file.ts'
import { devnetPaths } from '../roles/devnet-paths.ts'
import { DEVNET_SERVICES } from '../roles/devnet-services.ts'
import { runningInstance } from '../supervisor/instance-lock.ts'

interface RoleState {
  readonly ready: boolean
  readonly stopped?: boolean
  readonly text: string
}

const SHOWN_CHECKS: ReadonlySet<string> = new Set(['duties', 'uptime', 'reward-pool'])
const TIMEOUT_MS = 2_500
const MAX_ANSWER_BYTES = 1024 * 1024

interface HealthReport {
  readonly ready: boolean
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly text: string }[]
}

interface SyncStatus {
  readonly unsafe_l2: { readonly number: number }
  readonly safe_l2: { readonly number: number }
  readonly finalized_l2: { readonly number: number }
}

export interface NetworkStatus {
  readonly running: boolean
  readonly ready: boolean
  readonly text: string
  readonly document: NetworkStatusDocument
}

export interface NetworkStatusDocument {
  readonly running: boolean
  readonly ready: boolean
  readonly folder: string
  /** Null, like all fields below, if nothing runs. */
  readonly supervisorPid: number | null
  readonly heads: { readonly unsafe: number; readonly safe: number; readonly finalized: number } | null
  readonly leader: string | null
  readonly roles: readonly {
    readonly role: string
    readonly pid: number | null
    readonly ready: boolean
    readonly stopped: boolean
    /** Since the network was started. */
    readonly restarts: number
    readonly text: string
  }[]
}

export async function networkStatus(folder: string, operatorSecret: (secrets: string) => string): Promise<NetworkStatus> {
  const instance = runningInstance(folder)
  if (instance === null) {
    const document = { running: false, ready: false, folder, supervisorPid: null, heads: null, leader: null, roles: [] }
    return {
      running: false,
      ready: false,
      text: `no development network runs on ${folder}; start one with ${npmScript('start', folder)}`,
      document,
    }
  }
  const facts = readFacts(folder)
  const { host, portOffset, supervisorPid } = instance
  const ports = devnetPorts(portOffset, 'conductor' in instance.roles ? 2 : 1)
  const { conductor } = ports
  const http = createHttpClient()
  const ask = async (port: number, path: string, body?: string, token?: string): Promise<unknown> => {
    const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const request = { url: `http://${host}:${port}${path}`, timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_ANSWER_BYTES }
    const response = await http.send(
      body === undefined
        ? { ...request, method: 'GET' }
        : { ...request, method: 'POST', headers: { 'content-type': 'application/json', ...authorization }, body },
    )
    return JSON.parse(new TextDecoder().decode(response.body))
  }
  const call = async (port: number, method: string, token?: string) =>
    ((await ask(port, '', JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }), token)) as { result?: unknown }).result
  const operatorToken = async () => {
    const { secret } = await loadJwtSecret(operatorSecret(devnetPaths(folder).conductorSecrets))
    return createJwt(secret, createSystemClock())
  }

  const probes: Record<string, () => Promise<RoleState>> = {
    l1: async () => ({ ready: true, text: `block ${Number(await call(ports.l1, 'eth_blockNumber'))}` }),
    beacon: async () => ask(ports.beacon, '/eth/v1/node/version').then(() => ({ ready: true, text: 'ready' })),
  }
  const services = facts === null ? DEVNET_SERVICES : DEVNET_SERVICES.filter((name) => facts.services[name] !== null)
  for (const [role, port] of healthPorts(ports, services))
    probes[role] = async () => describeHealth((await ask(port, '/healthz')) as HealthReport)

  try {
    // A role that is starting answers with an error.
    const [heads, leader, ...rows] = await Promise.all([
      call(ports.consensus.rpc, 'rollup_syncStatus')
        .then((status) => headsOf(status as SyncStatus))
        .catch(() => null),
      conductor === undefined
        ? null
        : operatorToken()
            .then((token) => call(conductor.operator, 'conductor_leaderWithID', token))
            .then(leaderOf)
            .catch(() => ({ id: null, text: 'not known' })),
      ...Object.entries(probes).map(async ([role, probe]) => {
        const reason = instance.stopped[role]
        const ask = reason === undefined ? probe() : Promise.resolve<RoleState>({ ready: false, stopped: true, text: `stopped: ${reason}` })
        const state = await ask.catch((error: unknown): RoleState => {
          return { ready: false, text: `no answer: ${messageOf(error)}` }
        })
        return { role, pid: instance.roles[role], restarts: instance.restarts[role] ?? 0, ...state }
      }),
    ])
    const width = Math.max(...rows.map(({ role }) => role.length))
    const lines = rows.map(
      ({ role, pid, ready, stopped, restarts, text }) =>
        `${ready ? 'ok  ' : stopped ? 'STOP' : 'WAIT'}  ${role.padEnd(width)}  process ${String(pid ?? '-').padEnd(7)}  ${text}${restarts === 0 ? '' : `, restarted ${counted(restarts, 'time')}`}`,
    )
    const where = facts === null ? 'still starting' : `L2 ${facts.l2.rpcUrl}  validator ${facts.validator.rpcUrl}  L1 ${facts.l1.rpcUrl}`
    const forks = facts === null ? null : readForks(facts)
    const ready = rows.every((row) => row.ready)
    return {
      running: true,
      ready,
      document: {
        running: true,
        ready,
        folder,
        supervisorPid,
        heads,
        leader: leader?.id ?? null,
        roles: rows.map(({ role, pid, ready, stopped, restarts, text }) => ({
          role,
          pid: pid ?? null,
          ready,
          stopped: stopped === true,
          restarts,
          text,
        })),
      },
      text: [
        `development network on ${folder}, supervisor process ${supervisorPid}`,
        where,
        `L2 blocks: ${heads === null ? 'not known' : `unsafe ${heads.unsafe}, safe ${heads.safe}, finalized ${heads.finalized}`}`,
        ...(leader === null ? [] : [`leads: ${leader.text}`]),
        ...(forks === null ? [] : [`fork: ${forks.fork}`]),
        ...((forks?.toCome ?? null) === null ? [] : [`forks to come: ${forks?.toCome}`]),
        '',
        ...lines,
      ].join('\n'),
    }
  } finally {
    http.close()
  }
}

function describeHealth(report: HealthReport): RoleState {
  const bad = report.checks.filter((check) => !check.ok)
  const shown = report.checks.filter(({ name }) => SHOWN_CHECKS.has(name)).map(({ text }) => text)
  const well = ['ready', ...shown].join(', ')
  return { ready: report.ready, text: bad.length === 0 ? well : bad.map((check) => `${check.name}: ${check.text}`).join('; ') }
}

function leaderOf(answer: unknown): { readonly id: string | null; readonly text: string } {
  const id = (answer as { readonly id: string } | null)?.id ?? null
  return { id, text: id ?? 'nobody' }
}

function headsOf({ unsafe_l2, safe_l2, finalized_l2 }: SyncStatus) {
  return { unsafe: unsafe_l2.number, safe: safe_l2.number, finalized: finalized_l2.number }
}

function readForks({ networkDir, clockOffsetMs }: DevnetFile): { readonly fork: string; readonly toCome: string | null } {
  const { nowMs } = createSystemClock({ offsetMs: clockOffsetMs })
  const nowSec = Math.floor(nowMs() / 1000)
  const { forks } = readRollupConfig(networkDir, { allowSameChainId: true })
  return { fork: forks.forkAt(l2Time(nowSec)), toCome: describeForksToCome(forks, nowSec) }
}

function readFacts(folder: string): DevnetFile | null {
  try {
    return JSON.parse(readFileSync(devnetFilePath(folder), 'utf8')) as DevnetFile
  } catch {
    return null
  }
}
