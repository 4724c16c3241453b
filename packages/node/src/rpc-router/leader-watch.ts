/** Knows which of several sequencers builds blocks, by asking each. */
import { findLeading } from '@keelson/client'
import { type Clock, type Logger, messageOf } from '@keelson/primitives'
import { createPoller, type HealthCheck, type Metrics, type Service, withDeadline } from '@keelson/runtime'

export interface Sequencer {
  /** Host and port, for logs. */
  readonly name: string
  /** Throws RpcResponseError for an error response, and ClientError when there is none. */
  submit(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>
  /** Whether it builds blocks. Throws ClientError. */
  isActive(): Promise<boolean>
  /** Number of its unsafe head; asked for when several say that they build blocks. Throws ClientError. */
  head(): Promise<number>
}

export interface LeaderWatch extends Service {
  readonly leader: Sequencer | null
  /** A sequencer other than the leader that answers; one that says it is active comes first. */
  readonly standby: Sequencer | null
  readonly check: HealthCheck
  /** Asks all sequencers now; callers that overlap share one look. */
  look(): Promise<void>
  /** Null when none leads until this time of the monotonic clock, or when the signal aborts. */
  whenLed(endMs: number, signal: AbortSignal): Promise<Sequencer | null>
}

export interface LeaderWatchDependencies {
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

interface Standing {
  readonly sequencer: Sequencer
  state: 'active' | 'idle' | 'silent'
  why: string
  /** Its last answer, which silence does not change: a leader that was paused resumes as the former one. */
  saidActive: boolean
  /** Grows with the order in which they became active. */
  began: number
}

const LOOK_EVERY_MS = 500
const SOON_MS = 100

export function createLeaderWatch(sequencers: readonly Sequencer[], { clock, log, metrics }: LeaderWatchDependencies): LeaderWatch {
  const standings = sequencers.map(
    (sequencer): Standing => ({ sequencer, state: 'silent', why: 'not asked yet', saidActive: false, began: 0 }),
  )
  const changes = metrics.counter('leader_changes_total', 'Times that another sequencer became the leader')
  let beginnings = 0
  let known: Sequencer | null = null
  let looking: Promise<void> | null = null

  const ask = async (standing: Standing) => {
    try {
      const isActive = await standing.sequencer.isActive()
      if (isActive && !standing.saidActive) standing.began = ++beginnings
      standing.saidActive = isActive
      standing.state = isActive ? 'active' : 'idle'
      standing.why = 'does not build blocks'
    } catch (error) {
      standing.state = 'silent'
      standing.why = messageOf(error)
    }
  }
  const findLeader = async (): Promise<Sequencer | null> => {
    const active = standings.filter(({ state }) => state === 'active')
    const leading = await findLeading(
      active.map(({ sequencer, began }) => ({ sequencer, began, head: () => sequencer.head().catch(() => null) })),
    )
    return leading?.sequencer ?? null
  }
  const reasons = () => standings.map(({ sequencer, why }) => `${sequencer.name}: ${why}`).join('; ')
  const note = (leader: Sequencer | null) => {
    if (leader === known) return
    if (leader === null) log.warn('no sequencer leads', { reasons: reasons() })
    else {
      log.info('the leader is', { sequencer: leader.name })
      changes.inc()
    }
    known = leader
  }
  const look = () => {
    looking ??= Promise.all(standings.map(ask))
      .then(async () => note(await findLeader()))
      .finally(() => {
        looking = null
      })
    return looking
  }
  const poller = createPoller(look, { clock, intervalMs: LOOK_EVERY_MS })

  return {
    name: 'leader watch',
    get leader() {
      return known
    },
    get standby() {
      const others = standings.filter(({ sequencer, state }) => sequencer !== known && state !== 'silent')
      return (others.find(({ state }) => state === 'active') ?? others[0])?.sequencer ?? null
    },
    check: {
      name: 'leader',
      check: () => (known === null ? { ok: false, reason: `no sequencer leads: ${reasons()}` } : { ok: true, detail: known.name }),
    },
    look,
    async whenLed(endMs, signal) {
      const leftMs = () => endMs - clock.monotonicMs()
      while (known === null && !signal.aborted && leftMs() > 0) {
        await clock.sleep(Math.min(SOON_MS, leftMs()))
        await withDeadline(look(), { clock, ms: Math.max(0, leftMs()), onTimeout: () => undefined })
      }
      return known
    },
    async start() {
      await look()
      poller.start()
    },
    stop: () => poller.stop(),
  }
}
