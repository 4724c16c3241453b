/**
 * Asks the node's own HTTP port for the newest block six times a minute. The record survives restarts, so time without a process
 * counts as downtime.
 */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { percentText } from '@keelson/contracts'
import type { Clock, Logger } from '@keelson/primitives'
import type { HealthCheck, HttpClient, Metrics, Service } from '@keelson/runtime'
import { createUptimeRing, decodeUptimeRing, RING_MINUTES, SAMPLES_PER_MINUTE, type UptimeRing } from './uptime-ring.ts'

/** Uptime expected of an RPC node that does not attest. */
export const RPC_UPTIME_TARGET = 0.95
const MAX_LAG_BLOCKS = 10

const MINUTE_MS = 60_000
const SLOT_MS = MINUTE_MS / SAMPLES_PER_MINUTE
const ANSWER_TIMEOUT_MS = 2_000
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
const FILE_NAME = 'rpc-uptime.bin'
const TOO_MANY_REQUESTS = 429
const WINDOWS = [
  { name: '24h', minutes: 24 * 60 },
  { name: '7d', minutes: RING_MINUTES },
] as const
const QUESTION = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: ['latest', false] })

export interface RpcUptimeOptions {
  readonly directory: string
  readonly host: string
  readonly port: number
  readonly blockTimeSec: number
}

export interface RpcUptimeDependencies {
  readonly http: HttpClient
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

export interface RpcUptime extends Service {
  /** Writes complete minutes to disk. */
  sample(): Promise<void>
  /** Never makes the node unready. */
  readonly check: HealthCheck
}

export async function openRpcUptime(options: RpcUptimeOptions, dependencies: RpcUptimeDependencies): Promise<RpcUptime> {
  const { http, clock, metrics } = dependencies
  const log = dependencies.log.child('uptime')
  const path = join(options.directory, FILE_NAME)
  const url = `http://${probeHost(options.host)}:${options.port}/`
  const ring = await readRing(path, log)
  const stopping = new AbortController()
  let minute: number | null = null
  let good = 0
  /** Without a record, the partial first minute does not count. */
  let counts = !ring.isEmpty
  let wasFresh = true
  let writes = true
  let loop: Promise<void> = Promise.resolve()
  metrics.gauge('rpc_uptime_target_ratio', 'Share that the network expects of an RPC node').set(RPC_UPTIME_TARGET)
  metrics.gauge('rpc_uptime_ratio', 'Share of the time in which the RPC answered and was not lagging', ['window'], () =>
    shares(ring).map(({ window, share }) => [{ window }, share] as const),
  )

  /** A rate-limited response counts as up, with the previous sample's lag. */
  async function isUp(): Promise<boolean> {
    try {
      const headers = { 'content-type': 'application/json' }
      const request = {
        url,
        method: 'POST' as const,
        headers,
        body: QUESTION,
        timeoutMs: ANSWER_TIMEOUT_MS,
        maxResponseBytes: MAX_ANSWER_BYTES,
      }
      const { status, body } = await http.send(request)
      if (status === TOO_MANY_REQUESTS) return wasFresh
      const { result } = JSON.parse(new TextDecoder().decode(body)) as { readonly result?: { readonly timestamp?: string } | null }
      const ageSec = clock.nowMs() / 1000 - Number(result?.timestamp ?? Number.NaN)
      wasFresh = ageSec <= MAX_LAG_BLOCKS * options.blockTimeSec
      return wasFresh
    } catch {
      return false
    }
  }

  async function save(): Promise<void> {
    try {
      await writeFile(`${path}.new`, ring.encode())
      await rename(`${path}.new`, path)
      writes = true
    } catch (error) {
      if (writes) log.warn('cannot write the uptime record; keeping it in memory', { error })
      writes = false
    }
  }

  async function sample(): Promise<void> {
    const now = Math.floor(clock.nowMs() / MINUTE_MS)
    if (minute !== null && now !== minute) {
      if (counts) ring.record(minute, good)
      counts = true
      good = 0
      await save()
    }
    minute = now
    if (await isUp()) good++
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(SLOT_MS - (clock.nowMs() % SLOT_MS), stopping.signal).catch(() => undefined)
      if (!stopping.signal.aborted) await sample()
    }
  }

  return {
    name: 'uptime',
    sample,
    check: { name: 'uptime', check: () => ({ ok: true, detail: describe(ring) }) },
    async start() {
      loop = run()
    },
    async stop() {
      stopping.abort()
      await loop
    },
  }
}

function shares(ring: UptimeRing): readonly { readonly window: string; readonly share: number }[] {
  const start = ring.shareSinceStart()
  const windows = WINDOWS.map(({ name, minutes }) => ({ window: name as string, share: ring.share(minutes) }))
  return [...windows, { window: 'start', share: start }].flatMap(({ window, share }) => (share === null ? [] : [{ window, share }]))
}

function describe(ring: UptimeRing): string {
  const known = shares(ring).filter(({ window }) => window !== 'start')
  if (known.length === 0) return 'uptime not known yet'
  const texts = known.map(({ window, share }) => {
    return `${percentText(share)} in ${window}${share < RPC_UPTIME_TARGET ? ' (below target)' : ''}`
  })
  return `uptime ${texts.join(', ')}, target ${percentText(RPC_UPTIME_TARGET)}`
}

async function readRing(path: string, log: Logger): Promise<UptimeRing> {
  let bytes: Uint8Array
  try {
    bytes = await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') log.warn('cannot read the uptime record; starting a new one', { path, error })
    return createUptimeRing()
  }
  const found = decodeUptimeRing(bytes)
  if (found === null) log.warn('the uptime record is damaged; starting a new one', { path })
  return found ?? createUptimeRing()
}

function probeHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
