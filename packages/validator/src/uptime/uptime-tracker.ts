/** Reads final blocks, so no reorg changes the counts, and starts with the longest window, so a restart loses nothing. */
import {
  type Attested,
  isBelowTarget,
  percentText,
  UPTIME_WINDOWS,
  VALIDATOR_UPTIME_TARGET,
  type WeightChangedEvent,
} from '@keelson/contracts'
import type { Address, Clock, Logger } from '@keelson/primitives'
import { messageOf } from '@keelson/primitives'
import type { Metrics, Service } from '@keelson/runtime'
import type { Seen, StakingChain } from '../staking/staking-chain.ts'
import { firstUptimeBlock, readUptimes, type WindowUptime } from './uptime-reader.ts'

export interface UptimeTracker extends Service {
  /** Rejects when the node does not answer; the next call continues. */
  look(): Promise<void>
  summary(): string
}

export interface UptimeTrackerOptions {
  readonly keys: readonly Address[]
  readonly blockTimeSec: number
}

export interface UptimeTrackerDependencies {
  readonly chain: Pick<StakingChain, 'finalizedNumber' | 'terms' | 'events' | 'positions' | 'firstAttestedEpoch'>
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

const LOOK_EVERY_MS = 60_000
/** An interrupted catch-up continues after the last complete chunk. */
const CHUNK_BLOCKS = 20_000

export function createUptimeTracker(
  { keys, blockTimeSec }: UptimeTrackerOptions,
  { chain, clock, log, metrics }: UptimeTrackerDependencies,
): UptimeTracker {
  const ratio = metrics.gauge('uptime_ratio', 'Share of the active epochs of a key in which it attested', ['key', 'window'])
  const due = metrics.gauge('uptime_due_epochs', 'Complete epochs in which a key was active', ['key', 'window'])
  metrics.gauge('uptime_target_ratio', 'Share that the network expects').set(VALIDATOR_UPTIME_TARGET)
  const stopping = new AbortController()
  const below = new Set<Address>()
  let attested: readonly Seen<Attested>[] = []
  let weights: readonly Seen<WeightChangedEvent>[] = []
  let readTo: number | null = null
  let firstEpoch: number | null = null
  let uptimes: ReadonlyMap<Address, readonly WindowUptime[]> = new Map()
  let loop: Promise<void> = Promise.resolve()

  async function look(): Promise<void> {
    const head = await chain.finalizedNumber()
    if (head === null) return
    const terms = await chain.terms()
    const oldest = firstUptimeBlock(head, terms, blockTimeSec)
    for (let from = Math.max(oldest, (readTo ?? -1) + 1); from <= head; from = readTo + 1) {
      const to: number = Math.min(head, from + CHUNK_BLOCKS - 1)
      const events = await chain.events(keys, from, to)
      attested = [...attested, ...events.attested.map(({ validator, epoch, blockNumber }) => ({ validator, epoch, blockNumber }))]
      weights = [...weights, ...events.weights]
      readTo = to
    }
    attested = attested.filter(({ blockNumber }) => blockNumber >= oldest)
    weights = weights.filter(({ blockNumber }) => blockNumber >= oldest)
    firstEpoch ??= await chain.firstAttestedEpoch(0, head)
    const question = { keys, terms, blockTimeSec, head, events: { attested, weights }, firstEpoch, sinceStart: false }
    uptimes = await readUptimes(chain, question)
    for (const [key, windows] of uptimes) report(key, windows)
  }

  function report(key: Address, windows: readonly WindowUptime[]): void {
    for (const { window, share, dueEpochs } of windows) {
      due.set(dueEpochs, { key, window })
      if (share !== null) ratio.set(share, { key, window })
    }
    const day = windows[0]
    const isBelow = day !== undefined && isBelowTarget(day, VALIDATOR_UPTIME_TARGET)
    if (isBelow && !below.has(key))
      log.warn('the uptime of a key is below the target', { key, uptime: day.share, target: VALIDATOR_UPTIME_TARGET, window: day.window })
    if (isBelow) below.add(key)
    else below.delete(key)
  }

  return {
    name: 'uptime',
    look,
    summary() {
      const shares = UPTIME_WINDOWS.flatMap(({ name: window }) => {
        const found = [...uptimes.values()].flatMap((windows) => windows.filter((one) => one.window === window && one.share !== null))
        const lowest = found.sort((a, b) => (a.share ?? 0) - (b.share ?? 0))[0]
        return lowest === undefined
          ? []
          : [{ window, share: lowest.share as number, isBelow: isBelowTarget(lowest, VALIDATOR_UPTIME_TARGET) }]
      })
      if (shares.length === 0) return 'uptime not known yet'
      const texts = shares.map(({ window, share, isBelow }) => `${percentText(share)} in ${window}${isBelow ? ' (below target)' : ''}`)
      return `uptime ${texts.join(', ')}, target ${percentText(VALIDATOR_UPTIME_TARGET)}`
    },
    async start() {
      loop = run()
    },
    async stop() {
      stopping.abort()
      await loop
    },
  }

  async function run(): Promise<void> {
    let failed = false
    while (!stopping.signal.aborted) {
      try {
        await look()
        failed = false
      } catch (error) {
        if (!failed) log.warn('cannot read the uptime from the chain, trying again', { reason: messageOf(error) })
        failed = true
      }
      await clock.sleep(LOOK_EVERY_MS, stopping.signal).catch(() => undefined)
    }
  }
}
