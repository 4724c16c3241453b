/** Causes faults on a real network and waits for the alerts of a real Prometheus. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devnetPorts } from '../../packages/devnet/src/ports/ports.ts'
import { prometheusTargetsPath } from '../../packages/devnet/src/prepare/prometheus-targets.ts'
import type { RuleFile } from '../../scripts/metrics/rules.ts'
import { newDevnetFolder, startDevnet } from '../support/devnet-process.ts'
import { eventually } from '../support/eventually.ts'
import { rpcCall } from '../support/json-rpc.ts'
import { type KeelsonProcess, startKeelson } from '../support/keelson-process.ts'
import { createFaults, type Fault } from './faults.ts'
import type { AlertTestOptions } from './options.ts'
import { type FiringAlert, type Prometheus, startPrometheus } from './prometheus.ts'
import { shortenRules } from './shortened-rules.ts'
import { mountSmallDisk } from './small-disk.ts'

/** Divides the durations of the rules. */
const FACTOR = 20
const SPARE_PORT = 8_100
/** While nothing is wrong, a late answer of a busy machine must not look like one that is missing for minutes. */
const LEAST_SILENT_SEC = 30
/** Scrapes and evaluations until the first rule can see anything. */
const SPARE_SEC = 10

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
    const ownTargets = prometheusTargetsPath(devnet.folder)
    const rulesHere = shortenRules(rules, FACTOR)
    const silent = await isSilent(options, shortenRules(rules, FACTOR, LEAST_SILENT_SEC), join(folder, 'healthy'), {
      targets: ownTargets,
      port: spare + 4,
    })
    say(renderResult(silent))
    const diskTargets = join(folder, 'disk.json')
    const diskLabels = { job: 'keelson-execution', role: 'development', machine: 'this' }
    writeFileSync(diskTargets, JSON.stringify([{ targets: [`127.0.0.1:${metricsPort}`], labels: diskLabels }]))
    prometheus = await startPrometheus({
      command: options.prometheus,
      folder: join(folder, 'prometheus'),
      port: spare + 4,
      rules: rulesHere,
      targets: [ownTargets, ...(typeof disk === 'string' ? [] : [diskTargets])],
    })
    await eventually('the first finalized block', async () => {
      const status = await rpcCall<{ readonly finalized_l2: { readonly number: number } }>(
        devnet.facts.l2.rollupRpcUrl,
        'rollup_syncStatus',
      )
      return status.finalized_l2.number > 0
    })
    const world = { devnet, ports, disk: typeof disk === 'string' ? null : { folder: disk.folder, metricsPort } }
    const results: FaultResult[] = [silent]
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

/** A new network with nothing wrong: no alert may fire for as long as the slowest rule takes. */
async function isSilent(
  { prometheus: command }: AlertTestOptions,
  rules: RuleFile,
  folder: string,
  { targets, port }: { readonly targets: string; readonly port: number },
): Promise<FaultResult> {
  const seconds = Math.max(...rules.groups.flatMap(({ rules }) => rules.map((rule) => Number.parseInt(rule.for ?? '0s', 10))))
  const result = (text: string, took: number | null): FaultResult => ({ fault: 'none', alert: 'no alert', seconds: took, text })
  const prometheus = await startPrometheus({ command, folder, port, rules, targets: [targets] })
  try {
    const { up } = await eventually('every role of the network answers', async () => {
      const found = await prometheus.targets()
      return found.up.length > 0 && found.down.length === 0 && found
    })
    // With durations this short, roles that were still starting and the first safe block have fired.
    await eventually('the alerts of the start end', async () => (await prometheus.alerts()).every(({ state }) => state !== 'firing'))
    const started = performance.now()
    const fired = await eventually(
      `${seconds} s pass`,
      async () => {
        const firing = (await prometheus.alerts()).filter(({ state }) => state === 'firing').map(({ annotations }) => annotations.summary)
        return firing.length > 0 ? firing : performance.now() - started > (seconds + SPARE_SEC) * 1_000 && []
      },
      2 * seconds * 1_000,
    )
    const took = (performance.now() - started) / 1_000
    return fired.length === 0 ? result(`${up.length} roles answer, and no alert fires.`, took) : result(fired.join(' '), null)
  } catch (error) {
    return result((error as Error).message, null)
  } finally {
    await prometheus.stop()
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
