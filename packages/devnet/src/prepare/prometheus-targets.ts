/** The roles of a running network, for Prometheus' file-based service discovery. */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { healthPorts } from '../ports/health-ports.ts'
import type { DevnetPorts } from '../ports/ports.ts'
import type { DevnetService } from '../roles/devnet-services.ts'

export interface TargetGroup {
  readonly targets: readonly string[]
  readonly labels: { readonly job: string; readonly role: 'development'; readonly machine: string }
}

/** Where the running roles serve their metrics. */
export interface MetricsAt {
  readonly host: string
  readonly ports: DevnetPorts
  readonly services: readonly DevnetService[]
}

const FILE = 'prometheus.json'
/** The validator's and the standby's clients are of the same kinds as the sequencer's. */
const OF_ANOTHER = /^(validator|standby)-/

export function prometheusTargetsPath(folder: string): string {
  return join(folder, FILE)
}

/** `role: development` chooses the thresholds for a network on one machine. */
export function prometheusTargets({ host, ports, services }: MetricsAt): readonly TargetGroup[] {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  return healthPorts(ports, services).map(([role, port]) => ({
    targets: [`${name}:${port}`],
    labels: { job: `keelson-${role.replace(OF_ANOTHER, '')}`, role: 'development', machine: 'development' },
  }))
}

export function writePrometheusTargets(folder: string, at: MetricsAt): void {
  const partial = `${prometheusTargetsPath(folder)}.partial`
  writeFileSync(partial, `${JSON.stringify(prometheusTargets(at), null, 2)}\n`)
  renameSync(partial, prometheusTargetsPath(folder))
}

/** A stopped network has no targets, so that its silence is no alert. */
export function removePrometheusTargets(folder: string): void {
  rmSync(prometheusTargetsPath(folder), { force: true })
}
