/** Blobs from beacon nodes, each checked against its hash, so any archive can be a fallback. EIP-4844; ethereum/beacon-APIs */
import {
  type Clock,
  type Crypto,
  type Hash,
  type Kzg,
  type L1BlockRef,
  type Logger,
  messageOf,
  parseJsonObject,
  type Random,
} from '@keelson/primitives'
import type { HttpClient } from '@keelson/runtime'
import { LRUCache } from 'lru-cache'
import { ClientError, isTemporary } from '../client-error.ts'
import { verified } from '../rpc/verified.ts'
import { inService, resume, type Suspendable, suspend } from '../suspension.ts'
import { type BeaconHttp, BLOBS_LIMIT, createBeaconHttp } from './beacon-http.ts'
import type { BlobStore } from './blob-store.ts'
import { blobsFromList, blobsFromSidecars, type FoundBlobs } from './verify-blobs.ts'

export interface BeaconClientOptions {
  /** In order of preference. */
  readonly urls: readonly string[]
  readonly timeoutMs?: number
  readonly maxCachedBlobs?: number
}

export interface BeaconClientDependencies {
  readonly kzg: Kzg
  readonly crypto: Pick<Crypto, 'sha256'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly store?: BlobStore
  /** Default: the network of this machine. */
  readonly http?: HttpClient
}

export interface BeaconClient {
  /** Returns blobs in the order of the hashes. Throws ClientError `client/blobs-unavailable`. */
  blobs(at: L1BlockRef, versionedHashes: readonly Hash[]): Promise<readonly Uint8Array[]>
  /** Logs whether the nodes still have the blobs of this and later L1 blocks. Never throws. */
  sayRange(from: L1BlockRef): Promise<void>
  version(): Promise<string>
  close(): void
}

type Route = 'blob_sidecars' | 'blobs'

interface Source extends Suspendable {
  readonly http: BeaconHttp
  /** From the Gloas fork on, nodes may lack `blob_sidecars` (beacon-APIs pull request 577). */
  route: Route
  timing: Promise<{ readonly genesisSec: number; readonly slotMs: number }> | null
}

const DEFAULT_CACHED_BLOBS = 48
const REST_MS = 5_000
const DEFAULT_KEPT_EPOCHS = 4096
const ARCHIVE = 'for older ones give the URL of a blob archive as a further --l1.beacon, or a snapshot that begins later'
const NODES_DOWN = 'check --l1.beacon and that the beacon node runs'

export function createBeaconClient(options: BeaconClientOptions, dependencies: BeaconClientDependencies): BeaconClient {
  const { log } = dependencies
  const cache = new LRUCache<Hash, Uint8Array>({ max: options.maxCachedBlobs ?? DEFAULT_CACHED_BLOBS })
  const sources: Source[] = options.urls.map((url) => ({
    http: createBeaconHttp({ url, timeoutMs: options.timeoutMs ?? 20_000 }, dependencies),
    route: 'blobs',
    timing: null,
    ...inService(),
  }))

  const slotOf = async (source: Source, at: L1BlockRef): Promise<number> => {
    source.timing ??= readTiming(source.http)
    try {
      const { genesisSec, slotMs } = await source.timing
      return Math.floor(((at.timestampSec - genesisSec) * 1000) / slotMs)
    } catch (error) {
      source.timing = null
      throw error
    }
  }

  const askRoute = async (source: Source, route: Route, slot: number, wanted: readonly Hash[]): Promise<FoundBlobs> => {
    if (route === 'blob_sidecars') {
      const answer = await source.http.get(`/eth/v1/beacon/blob_sidecars/${slot}`, BLOBS_LIMIT)
      return blobsFromSidecars(answer, wanted, dependencies)
    }
    const query = wanted.map((hash) => `versioned_hashes=${hash}`).join('&')
    const answer = await source.http.get(`/eth/v1/beacon/blobs/${slot}?${query}`, BLOBS_LIMIT)
    return blobsFromList(answer, wanted, dependencies)
  }

  const askSource = async (source: Source, at: L1BlockRef, wanted: readonly Hash[], troubles: string[]): Promise<FoundBlobs> => {
    const found = new Map<Hash, Uint8Array>()
    const routes: readonly Route[] = source.route === 'blobs' ? ['blobs', 'blob_sidecars'] : ['blob_sidecars', 'blobs']
    for (const route of routes) {
      const missing = wanted.filter((hash) => !found.has(hash))
      if (missing.length === 0) break
      try {
        const slot = await slotOf(source, at)
        const answer = await askRoute(source, route, slot, missing)
        for (const [hash, blob] of answer) found.set(hash, blob)
        if (answer.size > 0) source.route = route
        else troubles.push(`${source.http.host} has none of them in slot ${slot} (${route})`)
        resumeSource(source)
      } catch (error) {
        // The KZG library throws on an invalid blob; another node may have a valid one.
        troubles.push(messageOf(error))
        if (!isUnreachable(error)) continue
        rest(source, error)
        break
      }
    }
    return found
  }

  const inOrder = (): readonly Source[] => {
    const nowMs = dependencies.clock.nowMs()
    const rests = ({ suspended }: Source) => suspended !== null && suspended.untilMs > nowMs
    return [...sources.filter((source) => !rests(source)), ...sources.filter(rests)]
  }
  const rest = (source: Source, error: unknown) => {
    if (sources.length === 1) return
    const already = source.suspended !== null
    const forMs = suspend(source, REST_MS, error, dependencies)
    if (!already) log.warn(`beacon node at ${source.http.host} is suspended`, { why: messageOf(error), forMs })
  }
  const resumeSource = (source: Source) => {
    const afterMs = resume(source, dependencies.clock.nowMs())
    if (afterMs !== null) log.info(`beacon node at ${source.http.host} is used again`, { afterMs })
  }

  return {
    async blobs(at, versionedHashes) {
      const found = new Map<Hash, Uint8Array>()
      for (const hash of versionedHashes) {
        const cached = cache.get(hash) ?? (await dependencies.store?.get(hash)) ?? undefined
        if (cached === undefined) continue
        found.set(hash, cached)
        cache.set(hash, cached)
      }
      const troubles: string[] = []
      for (const [i, source] of inOrder().entries()) {
        const missing = [...new Set(versionedHashes)].filter((hash) => !found.has(hash))
        if (missing.length === 0) break
        if (i > 0) log.debug('asking a fallback for blobs', { host: source.http.host, l1Block: at.number, missing: missing.length })
        for (const [hash, blob] of await askSource(source, at, missing, troubles)) {
          found.set(hash, blob)
          cache.set(hash, blob)
          await dependencies.store?.put(hash, blob)
        }
      }
      return versionedHashes.map((hash) => found.get(hash) ?? fail(at, hash, troubles))
    },
    async sayRange(from) {
      const ageSec = Math.max(0, Math.round(dependencies.clock.nowMs() / 1000 - from.timestampSec))
      const kept = await Promise.all(sources.map((source) => readKeptSec(source.http).catch(() => null)))
      const fields = { fromL1Block: from.number, ageDays: days(ageSec), storedBlobs: dependencies.store?.count ?? 0 }
      const hosts = sources.map(({ http }, i) => `${http.host} (${describeKept(kept[i] ?? null)})`).join(', ')
      if (sources.length === 0) log.warn('blobs cannot be read: no beacon node is configured', { ...fields, remedy: 'give --l1.beacon' })
      else if (kept.some((keptSec) => keptSec !== null && keptSec > ageSec))
        log.info('blobs are within what beacon nodes keep', { ...fields, hosts })
      else if (kept.every((keptSec) => keptSec === null))
        log.warn('no beacon node says how long it keeps blobs', { ...fields, hosts, remedy: NODES_DOWN })
      else log.warn('blobs are older than beacon nodes must keep', { ...fields, hosts, remedy: ARCHIVE })
    },
    async version() {
      const first = sources[0]
      if (first === undefined) throw noSources()
      return String((await readData(first.http, '/eth/v1/node/version')).version)
    },
    close() {
      for (const source of sources) source.http.close()
    },
  }

  function fail(at: L1BlockRef, hash: Hash, troubles: readonly string[]): never {
    if (sources.length === 0) throw noSources()
    throw new ClientError(
      'client/blobs-unavailable',
      'temporary',
      `blob ${hash} of L1 block ${at.number} (time ${at.timestampSec}) is not available: ${troubles.join('; ')}. ` +
        `Beacon nodes drop blobs after about 18 days: ${ARCHIVE}`,
      { blockNumber: at.number, versionedHash: hash },
    )
  }
}

/** If true, the node's other route would fail too. */
function isUnreachable(error: unknown): boolean {
  return isTemporary(error) && (error as ClientError).code !== 'client/bad-answer'
}

function noSources(): ClientError {
  return new ClientError(
    'client/blobs-unavailable',
    'temporary',
    'the batcher posts blobs, but no beacon node is configured: give the URL of one (the L1 RPC does not serve blobs)',
  )
}

async function readTiming(http: BeaconHttp): Promise<{ readonly genesisSec: number; readonly slotMs: number }> {
  const spec = await readData(http, '/eth/v1/config/spec')
  const genesis = await readData(http, '/eth/v1/beacon/genesis')
  const genesisSec = Number(genesis.genesis_time)
  const slotMs = spec.SLOT_DURATION_MS === undefined ? Number(spec.SECONDS_PER_SLOT) * 1000 : Number(spec.SLOT_DURATION_MS)
  if (!Number.isSafeInteger(genesisSec) || !(slotMs > 0)) {
    throw new ClientError('client/bad-answer', 'temporary', `${http.host} does not say when its chain began or how long a slot is`, {
      host: http.host,
    })
  }
  return { genesisSec, slotMs }
}

/** Seconds for which a node must keep blobs. */
async function readKeptSec(http: BeaconHttp): Promise<number> {
  const spec = await readData(http, '/eth/v1/config/spec')
  const epochs = Math.max(
    Number(spec.MIN_EPOCHS_FOR_BLOB_SIDECARS_REQUESTS ?? DEFAULT_KEPT_EPOCHS),
    Number(spec.MIN_EPOCHS_FOR_DATA_COLUMN_SIDECARS_REQUESTS ?? 0),
  )
  const slotSec = spec.SLOT_DURATION_MS === undefined ? Number(spec.SECONDS_PER_SLOT) : Number(spec.SLOT_DURATION_MS) / 1000
  const keptSec = epochs * Number(spec.SLOTS_PER_EPOCH ?? 32) * slotSec
  if (keptSec > 0) return keptSec
  throw new ClientError('client/bad-answer', 'temporary', `${http.host} does not say how long its slots are`, { host: http.host })
}

function describeKept(keptSec: number | null): string {
  return keptSec === null ? 'does not say' : `at least ${days(keptSec)} days`
}

function days(seconds: number): number {
  return Math.round(seconds / 8640) / 10
}

async function readData(http: BeaconHttp, path: string): Promise<Readonly<Record<string, unknown>>> {
  const answer = await http.get(path)
  return verified(http.host, () => parseJsonObject(parseJsonObject(answer, path).data, `${path} data`))
}
