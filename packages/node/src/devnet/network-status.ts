/** `keelson devnet status`: one screen that says of every role how it is, in the words of its own readiness checks. */
import { readFileSync } from 'node:fs'
import { createHttpClient } from '@keelson/runtime'
import { type DevnetFile, devnetFilePath } from './devnet-file.ts'
import { isAlive, readInstance } from './instance-lock.ts'
import type { DevnetPorts } from './ports.ts'

export interface RoleStatus {
  readonly role: string
  readonly pid: number | null
  readonly ready: boolean
  /** Why not, or a short word that it is. */
  readonly text: string
}

const HEALTH_TIMEOUT_MS = 2_500
const MAX_REPORT_BYTES = 1024 * 1024

function healthPorts(ports: DevnetPorts): readonly (readonly [role: string, port: number])[] {
  return [
    ['execution', ports.execution.metrics],
    ['consensus', ports.consensus.metrics],
    ['validator-execution', ports.validatorExecution.metrics],
    ['validator-consensus', ports.validatorConsensus.metrics],
    ['batcher', ports.batcher.metrics],
    ['proposer', ports.proposer.metrics],
  ]
}

interface HealthReport {
  readonly ready: boolean
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly text: string }[]
}

export interface NetworkStatus {
  readonly running: boolean
  readonly text: string
}

export async function networkStatus(folder: string, host: string, ports: DevnetPorts): Promise<NetworkStatus> {
  const instance = readInstance(folder)
  if (instance === null || !isAlive(instance.supervisorPid))
    return { running: false, text: `no development network runs on ${folder}; start one with npm start` }
  const facts = readFacts(folder)
  const http = createHttpClient()
  try {
    const rows = await Promise.all(
      healthPorts(ports).map(async ([role, port]): Promise<RoleStatus> => {
        const pid = instance.roles[role] ?? null
        const report = await http
          .send({ url: `http://${host}:${port}/healthz`, method: 'GET', timeoutMs: HEALTH_TIMEOUT_MS, maxResponseBytes: MAX_REPORT_BYTES })
          .then((response) => JSON.parse(new TextDecoder().decode(response.body)) as HealthReport)
          .catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
        if (typeof report === 'string') return { role, pid, ready: false, text: `no answer from its health port: ${report}` }
        const bad = report.checks.filter((check) => !check.ok)
        return {
          role,
          pid,
          ready: report.ready,
          text: bad.length === 0 ? 'ready' : bad.map((check) => `${check.name}: ${check.text}`).join('; '),
        }
      }),
    )
    const width = Math.max(...rows.map(({ role }) => role.length))
    const lines = rows.map(
      ({ role, pid, ready, text }) => `${ready ? 'ok  ' : 'WAIT'}  ${role.padEnd(width)}  ${String(pid ?? '-').padStart(7)}  ${text}`,
    )
    const where = facts === null ? 'still starting' : `L2 ${facts.l2.rpcUrl}  validator ${facts.validator.rpcUrl}  L1 ${facts.l1.rpcUrl}`
    return {
      running: true,
      text: [`development network on ${folder}, supervisor ${instance.supervisorPid}: ${where}`, ...lines].join('\n'),
    }
  } finally {
    http.close()
  }
}

function readFacts(folder: string): DevnetFile | null {
  try {
    return JSON.parse(readFileSync(devnetFilePath(folder), 'utf8')) as DevnetFile
  } catch {
    return null
  }
}
