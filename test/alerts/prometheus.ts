/** A Prometheus on loopback that scrapes a development network every second. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { RuleFile } from '../../scripts/metrics/rules.ts'
import { eventually } from '../support/eventually.ts'

export interface FiringAlert {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: { readonly summary: string; readonly action: string }
  readonly state: 'pending' | 'firing'
}

export interface Prometheus {
  alerts(): Promise<readonly FiringAlert[]>
  /** Instances that answer the last scrape, and those that do not. */
  targets(): Promise<{ readonly up: readonly string[]; readonly down: readonly string[] }>
  stop(): Promise<void>
}

export interface PrometheusSetup {
  readonly command: string
  readonly folder: string
  readonly port: number
  readonly rules: RuleFile
  /** Files of targets with their labels. */
  readonly targets: readonly string[]
}

const REQUEST_TIMEOUT_MS = 5_000

export async function startPrometheus({ command, folder, port, rules, targets }: PrometheusSetup): Promise<Prometheus> {
  mkdirSync(folder, { recursive: true })
  const scrapes = [{ job_name: 'keelson', file_sd_configs: [{ files: targets, refresh_interval: '1s' }] }]
  const config = { global: { scrape_interval: '1s', evaluation_interval: '1s' }, rule_files: ['rules.yml'], scrape_configs: scrapes }
  writeFileSync(join(folder, 'rules.yml'), stringify(rules))
  writeFileSync(join(folder, 'prometheus.yml'), stringify(config))
  const args = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const lines: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lines.push(text)
    if (lines.length > 50) lines.shift()
  })
  const exited = once(child, 'exit')
  const get = async (path: string) => {
    if (child.exitCode !== null) throw new Error(`Prometheus ended with code ${child.exitCode}:\n${lines.join('')}`)
    return fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
  }
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
  }
  try {
    await eventually('Prometheus is ready', async () => (await get('/-/ready')).ok)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    stop,
    async alerts() {
      const { data } = (await (await get('/api/v1/alerts')).json()) as { readonly data: { readonly alerts: readonly FiringAlert[] } }
      return data.alerts
    },
    async targets() {
      const { data } = (await (await get('/api/v1/targets?state=active')).json()) as {
        readonly data: { readonly activeTargets: readonly { readonly labels: { readonly instance: string }; readonly health: string }[] }
      }
      const of = (isUp: boolean) =>
        data.activeTargets.filter(({ health }) => (health === 'up') === isUp).map(({ labels }) => labels.instance)
      return { up: of(true), down: of(false) }
    },
  }
}
