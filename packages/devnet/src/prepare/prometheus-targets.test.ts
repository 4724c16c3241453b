import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_DEVNET_FOLDER } from '@keelson/runtime'
import { parse } from 'yaml'
import { findProjectRoot } from '../genesis/contract-files.ts'
import { devnetPorts } from '../ports/ports.ts'
import { DEVNET_SERVICES, type DevnetService } from '../roles/devnet-services.ts'
import { prometheusTargets, prometheusTargetsPath, removePrometheusTargets, writePrometheusTargets } from './prometheus-targets.ts'

const at = (host: string, ports = devnetPorts(0), services: readonly DevnetService[] = DEVNET_SERVICES) => ({ host, ports, services })
const PROMETHEUS = join(findProjectRoot(), 'config', 'prometheus')

describe('the targets of a development network for Prometheus', () => {
  it('are the roles that it runs, and no conductor or standby unless there are two sequencers', () => {
    const jobs = (sequencers: number) => prometheusTargets(at('127.0.0.1', devnetPorts(4_000, sequencers))).map(({ labels }) => labels.job)
    assert.ok(!jobs(1).includes('keelson-conductor') && !jobs(1).includes('keelson-router'))
    assert.ok(jobs(2).includes('keelson-conductor'))
    assert.equal(jobs(2).filter((job) => job === 'keelson-execution').length, 3)
  })

  it('can be reached from this machine on every address that the network may listen on', () => {
    const first = (host: string) => prometheusTargets(at(host))[0]?.targets[0]
    assert.deepEqual(['127.0.0.1', '0.0.0.0', '::', '::1', 'box'].map(first), [
      '127.0.0.1:6060',
      '127.0.0.1:6060',
      '[::1]:6060',
      '[::1]:6060',
      'box:6060',
    ])
  })

  it('are a file that the shipped configuration reads, as long as the network runs', () => {
    const folder = mkdtempSync(join(tmpdir(), 'keelson-targets-'))
    try {
      writePrometheusTargets(folder, at('127.0.0.1'))
      assert.deepEqual(JSON.parse(readFileSync(prometheusTargetsPath(folder), 'utf8')), prometheusTargets(at('127.0.0.1')))
      removePrometheusTargets(folder)
      assert.throws(() => readFileSync(prometheusTargetsPath(folder)), /ENOENT/)
    } finally {
      rmSync(folder, { recursive: true })
    }
    const config = parse(readFileSync(join(PROMETHEUS, 'prometheus.yml'), 'utf8')) as {
      readonly scrape_configs: readonly {
        readonly static_configs?: unknown
        readonly file_sd_configs?: readonly { readonly files: readonly string[] }[]
      }[]
    }
    const files = config.scrape_configs.flatMap(({ file_sd_configs }) => file_sd_configs?.flatMap(({ files }) => files) ?? [])
    const own = prometheusTargetsPath(join(findProjectRoot(), DEFAULT_DEVNET_FOLDER))
    assert.ok(files.some((file) => join(PROMETHEUS, file) === own))
    assert.deepEqual(
      config.scrape_configs.filter(({ static_configs }) => static_configs !== undefined),
      [],
    )
  })
})
