/** Causes faults on a real network and waits for the alerts of a real Prometheus. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { healthPorts } from '../../packages/devnet/src/ports/health-ports.ts'
import { devnetPorts } from '../../packages/devnet/src/ports/ports.ts'
import type { RuleFile } from '../../scripts/metrics/rules.ts'
import { newDevnetFolder, startDevnet } from '../support/devnet-process.ts'
import { eventually } from '../support/eventually.ts'
import { rpcCall } from '../support/json-rpc.ts'
import { type KeelsonProcess, startKeelson } from '../support/keelson-process.ts'
import { createFaults, type Fault } from './faults.ts'
import type { AlertTestOptions } from './options.ts'
import { type FiringAlert, type Prometheus, startPrometheus, type Target } from './prometheus.ts'
import { shortenRules } from './shortened-rules.ts'
import { mountSmallDisk } from './small-disk.ts'

/** Divides the durations of the rules. */
const FACTOR = 20
const SPARE_PORT = 8_100

export interface FaultResult {
  readonly fault: string
  readonly alert: string
  /** Null when the alert did not fire. */
  readonly seconds: number | null
  /** The sentence shown, or why there is no alert. */
  readonly text: string
}

export async function runFaults(options: AlertTestOptions, rules: RuleFile, say: (line: string) => void): Promise<readonly FaultResult[]> {
  const ports = devnetPorts(options.portOffset)
  const spare = SPARE_PORT + options.portOffset
  const folder = mkdtempSync(join(tmpdir(), 'keelson-alerts-'))
  const disk = mountSmallDisk(join(folder, 'disk'))
  if (typeof disk === 'string') say(`not run: a full disk, because a small disk cannot be mounted: ${disk}`)
  const devnet = await startDevnet(newDevnetFolder(), options.portOffset)
  let prometheus: Prometheus | null = null
  let node: KeelsonProcess | null = null
  try {
    const metricsPort = spare + 3
    if (typeof disk !== 'string') node = startNodeOn(disk.folder, devnet.facts.networkDir, spare)
    const targets: readonly Target[] = [
      ...healthPorts(ports).map(([role, port]) => ({ job: `keelson-${role.replace(/^(validator|standby)-/, '')}`, port })),
      ...(typeof disk === 'string' ? [] : [{ job: 'keelson-execution', port: metricsPort }]),
    ]
    prometheus = await startPrometheus({
      command: options.prometheus,
      folder: join(folder, 'prometheus'),
      port: spare + 4,
      rules: shortenRules(rules, FACTOR),
      targets,
    })
    await eventually('the first finalized block', async () => {
      const status = await rpcCall<{ readonly finalized_l2: { readonly number: number } }>(
        devnet.facts.l2.rollupRpcUrl,
        'rollup_syncStatus',
      )
      return status.finalized_l2.number > 0
    })
    const world = { devnet, ports, disk: typeof disk === 'string' ? null : { folder: disk.folder, metricsPort } }
    const results: FaultResult[] = []
    for (const fault of createFaults(world)) {
      results.push(await runFault(fault, prometheus))
      say(renderResult(results.at(-1) as FaultResult))
    }
    return results
  } finally {
    await prometheus?.stop()
    await node?.kill()
    await devnet.remove()
    if (typeof disk !== 'string') disk.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

function startNodeOn(folder: string, network: string, port: number): KeelsonProcess {
  const listens = { 'http.port': port, 'ws.port': port + 1, 'engine.port': port + 2, 'metrics.port': port + 3 }
  const flags = Object.entries({ network, 'data-dir': join(folder, 'execution'), ...listens }).map(([name, value]) => `--${name}=${value}`)
  return startKeelson(['execution', ...flags])
}

async function runFault(fault: Fault, prometheus: Prometheus): Promise<FaultResult> {
  const matches = ({ labels, state }: FiringAlert) =>
    state === 'firing' && labels.alertname === fault.alert && labels.instance === `127.0.0.1:${fault.port}`
  const firing = async () => (await prometheus.alerts()).find(matches)
  const result = (seconds: number | null, text: string): FaultResult => ({ fault: fault.name, alert: fault.alert, seconds, text })
  try {
    await eventually(`${fault.alert} is silent before the fault`, async () => (await firing()) === undefined)
    const started = performance.now()
    await fault.cause()
    try {
      const { annotations } = await eventually(`${fault.alert} fires`, firing)
      return result((performance.now() - started) / 1000, `${annotations.summary} ${annotations.action}`)
    } finally {
      await fault.end()
    }
  } catch (error) {
    return result(null, (error as Error).message)
  }
}

export function renderResult({ fault, alert, seconds, text }: FaultResult): string {
  return `${seconds === null ? 'FAIL ' : 'ok   '} | ${fault} | ${alert} | ${seconds === null ? '-' : `${seconds.toFixed(0)} s`} | ${text}`
}
