/**
 * The arbiter of hand-over: decides which of several sequencers leads, and records every block before it is
 * gossiped, at most one at each height and each on the one before. Moving leadership may be wrong and costs only
 * time; what is recorded is never wrong, because every block passes through `commit` of this one process.
 */
import type { Clock, Hash, Logger, PayloadEnvelope } from '@keelson/primitives'
import { messageOf } from '@keelson/primitives'
import type { KeyValueStore, Metrics } from '@keelson/runtime'
import { describe, standingOf } from './health.ts'
import { judgeBlock } from './judge-block.ts'
import { type Lease, openLedger } from './ledger.ts'
import type { ConductorOptions } from './options.ts'
import type { Candidate, L1Hashes, TimedBlock } from './ports.ts'
import { createRecordCheck, type OriginOf } from './record-check.ts'
import { type Resumption, resumeRecord } from './record-resume.ts'
import { createRoster } from './roster.ts'
import { createTurns } from './turns.ts'

export type CommitOutcome = { readonly kind: 'recorded' } | { readonly kind: 'refused'; readonly reason: string }

export interface ConductorMember {
  readonly id: string
  readonly address: string
}

export interface Arbiter {
  /** Looks at all candidates and does what is to be done; milliseconds after which to look again. */
  step(): Promise<number>
  /** Records a block that candidate `id` has sealed. What is recorded is on disk when this resolves. */
  commit(id: string, envelope: PayloadEnvelope): Promise<CommitOutcome>
  /** Counts and logs a block of candidate `id` that is not recorded. */
  refuse(id: string, envelope: PayloadEnvelope, reason: string): void
  leads(id: string): boolean
  readonly leader: ConductorMember | null
  readonly members: readonly ConductorMember[]
  readonly term: number
  /** While paused nobody is started or stopped and leadership stays; blocks are recorded. */
  paused: boolean
  /** Why a candidate is not healthy, null when it is. */
  illnessOf(id: string): string | null
  /** Leadership goes to a candidate, or to the best other one. Null when it did, else why it cannot. */
  transfer(to: string | null): Promise<string | null>
  readonly head: { readonly number: number; readonly hash: Hash } | null
}

export interface ArbiterDependencies {
  readonly candidates: readonly Candidate[]
  readonly store: KeyValueStore
  readonly l1: L1Hashes
  readonly originOf: OriginOf
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

/** While someone is being started, things move fast. */
const HAND_OVER_INTERVAL_MS = 100
/** A leader that does not answer and records nothing is dead after so many looks. */
const SILENT_LOOKS = 2
/** Candidates that do not answer are waited for so long, before anyone leads, since they may hold blocks made without the conductor. */
const PATIENCE_MS = 30_000
/** Different reasons of leaders that do not begin that are said before one does. */
const MAX_SAID = 20
/** Posted to a candidate in one go. */
const POSTED_AT_ONCE = 64

export function createArbiter(options: ConductorOptions, deps: ArbiterDependencies): Arbiter {
  const { candidates, clock } = deps
  const { log } = deps
  const ledger = openLedger(deps.store)
  const records = createRecordCheck(ledger, deps)
  const transfers = deps.metrics.counter('leader_transfers_total', 'times that leadership moved, by why', ['why'])
  const recorded = deps.metrics.counter('recorded_blocks_total', 'blocks recorded before they were gossiped')
  const refusals = deps.metrics.counter('refused_blocks_total', 'blocks that were not recorded')
  deps.metrics.gauge('leader', '1 for the candidate that leads', ['candidate'], () =>
    candidates.map(({ id }) => [{ candidate: id }, ledger.lease?.holder === id ? 1 : 0] as const),
  )
  const roster = createRoster(candidates, ledger, options, clock)
  /** The leader keeps its lease until then without recording a block. */
  let leaseUntilMs = clock.monotonicMs() + options.unsafeIntervalMs
  let lastRecordMs = Number.NEGATIVE_INFINITY
  let conflict = false
  let paused = options.paused
  let saidWaiting: string | null = null
  /** The record is known to be the highest chain: somebody may lead on it. */
  let settled = false
  const impatientAtMs = clock.monotonicMs() + PATIENCE_MS
  /** Why the leader did not begin, until it is asked again. */
  let refusal: string | null = null
  /** What was said of leaders that do not begin, until one does. */
  const saidRefusals = new Set<string>()
  /** Everything that changes the ledger, one after another. */
  const inTurn = createTurns()
  /** Looking and moving leadership, one after another; commits go on meanwhile. */
  const conducting = createTurns()

  const quietMs = () => clock.monotonicMs() - lastRecordMs
  const leader = (): Candidate | null => (ledger.lease === null ? null : roster.find(ledger.lease.holder))

  /** Why the leader has lost its lease; null while it keeps it. */
  function reasonToMove(current: Candidate): string | null {
    const { status, reason, silentLooks } = roster.observed(current)
    const quiet = quietMs() > options.blockTimeSec * 1_000 + options.healthIntervalMs
    if (status === null && silentLooks >= SILENT_LOOKS && quiet) return `it does not answer: ${reason}`
    if (clock.monotonicMs() > leaseUntilMs) return `it has recorded no block for ${options.unsafeIntervalMs / 1000} s`
    return null
  }

  /** Why the leader should make room for one that is better off; null when it should not. */
  function reasonToYield(current: Candidate): string | null {
    const { status } = roster.observed(current)
    if (status === null) return null
    return status.active ? roster.faultOf(current) : (roster.reasonAgainst(current) ?? refusal)
  }

  async function grant(to: Candidate, why: string, text: string): Promise<void> {
    const before = ledger.lease?.holder ?? null
    const lease = await inTurn(() => ledger.grant(to.id))
    leaseUntilMs = clock.monotonicMs() + options.unsafeIntervalMs
    refusal = null
    transfers.inc(1, { why })
    const head = ledger.head === null ? null : describe(ledger.head)
    log.info('leadership is granted', { to: to.id, from: before, why: text, term: lease.term, head })
  }

  async function stop(candidate: Candidate): Promise<void> {
    // it may be dead, or stopped already: without the lease it can record nothing
    await candidate
      .stop()
      .catch((error: unknown) => log.debug('a candidate was not stopped', { candidate: candidate.id, reason: messageOf(error) }))
  }

  /** One step towards a leader that builds on the recorded head. */
  async function startLeader(current: Candidate, lease: Lease): Promise<void> {
    const { status } = roster.observed(current)
    const { head } = ledger
    if (status === null || head === null) return
    const standing = standingOf(status, ledger)
    try {
      // a leader at work may be inserting just now what it has recorded
      if (standing.kind === 'behind' && (!status.active || quietMs() > options.blockTimeSec * 1_000))
        await postMissing(current, status.unsafe)
      if (standing.kind !== 'at-head' || status.active) return
      refusal = null
      await current.start(head.hash)
      saidRefusals.clear()
      leaseUntilMs = clock.monotonicMs() + options.unsafeIntervalMs
      log.info('the leader begins', { leader: current.id, term: lease.term, on: describe(head) })
    } catch (error) {
      refusal = messageOf(error)
      const told = `${current.id}: ${refusal.replace(/\d+/g, '')}`
      if (saidRefusals.has(told) || saidRefusals.size >= MAX_SAID) return
      saidRefusals.add(told)
      log.warn('the leader does not begin', {
        leader: current.id,
        term: lease.term,
        reason: refusal,
        remedy: 'it is asked again and again',
      })
    }
  }

  async function postMissing(candidate: Candidate, unsafe: TimedBlock): Promise<void> {
    const last = Math.min(ledger.head?.number ?? 0, unsafe.number + POSTED_AT_ONCE)
    log.info('a candidate is given recorded blocks it lacks', { candidate: candidate.id, from: unsafe.number + 1, to: last })
    for (let number = unsafe.number + 1; number <= last; number++) {
      const envelope = ledger.payloadAt(number)
      if (envelope === null) return
      await candidate.postUnsafePayload(envelope)
    }
  }

  async function conduct(): Promise<void> {
    const current = leader()
    const { lease } = ledger
    await Promise.all(
      candidates.filter((candidate) => candidate !== current && roster.observed(candidate).status?.active === true).map(stop),
    )
    if (current === null || lease === null) {
      const first = roster.findBest(null)
      if (first !== null) await grant(first, 'first', 'nobody led yet')
      else sayWaiting()
      return
    }
    const reason = reasonToMove(current)
    if (reason !== null) {
      roster.noteFailed(current)
      const next = roster.findBest(current)
      if (next !== null) {
        await grant(next, 'failed', reason)
        await Promise.all([stop(current), startLeader(next, ledger.lease as Lease)])
        return
      }
      sayWaiting()
    } else {
      saidWaiting = null
      const yielding = reasonToYield(current)
      const other = yielding === null ? null : roster.findBest(current)
      if (yielding !== null && other !== null && !roster.failedLately(other)) {
        roster.noteFailed(current)
        await stop(current)
        await grant(other, 'unhealthy', yielding)
        return
      }
    }
    await startLeader(current, lease)
  }

  /** Nobody can lead: why not, of each, once for each set of reasons. */
  function sayWaiting(): void {
    const reasons = candidates
      .map((candidate) => `${candidate.id}: ${roster.reasonAgainst(candidate) ?? 'it leads, and records no block'}`)
      .join('; ')
    const remedy = 'see the log of each; leadership moves when one of them can'
    if (leader() !== null) sayOnce(reasons, () => log.warn('no other candidate can lead', { reasons, remedy }))
    // that everyone is still starting is no news: one line, however the reasons change meanwhile
    else sayOnce('nobody', () => log.warn('no candidate can lead yet', { reasons, remedy: 'one of them leads as soon as it can' }))
  }

  function sayOnce(key: string, say: () => void): void {
    const told = key.replace(/\d+/g, '')
    if (saidWaiting === told) return
    saidWaiting = told
    say()
  }

  /** A leader at work on the record, or one that has recorded already: nothing can have been made behind our back. */
  function isAtWork(current: Candidate): boolean {
    const { status } = roster.observed(current)
    return status?.active === true && standingOf(status, ledger).kind !== 'elsewhere'
  }

  /** Before anyone is led or started: is the record the highest chain? */
  async function settle(): Promise<Resumption['kind']> {
    const current = leader()
    if (settled || ledger.head === null || (current !== null && isAtWork(current))) {
      settled ||= ledger.head !== null
      return settled ? 'settled' : 'waiting'
    }
    const seen = candidates.map((candidate) => ({ candidate, status: roster.observed(candidate).status }))
    const outcome = await inTurn(async () => {
      // a block that was recorded meanwhile comes from a leader at work
      if (settled) return { kind: 'settled' } as const
      return resumeRecord(ledger, seen, clock.monotonicMs() < impatientAtMs, log)
    })
    settled = outcome.kind === 'settled'
    if (outcome.kind === 'settled') return outcome.kind
    const remedy =
      outcome.kind === 'waiting'
        ? `bring it up; without it, the others go on from the recorded head ${PATIENCE_MS / 1_000} s after the start`
        : "it goes on when L1 has blocks of one of them; or stop all sequencers and the conductor, empty the conductor's data directory, and it begins with the highest block of any"
    sayOnce(outcome.kind, () => log.warn('nobody may lead yet', { reason: outcome.reason, remedy }))
    return outcome.kind
  }

  async function lookAndConduct(): Promise<number> {
    await roster.look()
    const answered = ledger.head === null || (await settle()) !== 'waiting'
    if (answered && (ledger.head === null || conflict || quietMs() > 2 * options.blockTimeSec * 1_000)) {
      conflict = false
      await inTurn(() => records.correct(roster.statuses()))
      if (!settled) await settle()
    }
    if (paused || !settled) {
      leaseUntilMs = clock.monotonicMs() + options.unsafeIntervalMs
      return paused ? options.healthIntervalMs : HAND_OVER_INTERVAL_MS
    }
    await conduct()
    const current = leader()
    return current !== null && roster.observed(current).status?.active === true ? options.healthIntervalMs : HAND_OVER_INTERVAL_MS
  }

  async function transfer(to: string | null): Promise<string | null> {
    const current = leader()
    if (to !== null && roster.find(to) === null)
      return `there is no candidate ${to}; there are ${candidates.map(({ id }) => id).join(', ')}`
    if (to !== null && to === current?.id) return `${to} leads already`
    if (!settled) return 'nobody may lead yet: the record is not known to be the highest chain'
    await roster.look()
    const next = to === null ? roster.findBest(current) : roster.find(to)
    const reason = next === null ? 'no other candidate can lead' : roster.reasonAgainst(next)
    if (next === null || reason !== null) return next === null ? reason : `${next.id} cannot lead: ${reason}`
    if (current !== null) await stop(current)
    await grant(next, 'operator', 'the operator asked for it')
    return null
  }

  function refuse(id: string, { payload }: PayloadEnvelope, reason: string): void {
    refusals.inc()
    log.warn('a block is not recorded', { candidate: id, number: payload.blockNumber, hash: payload.blockHash, reason })
  }

  return {
    step: () => conducting(lookAndConduct),
    refuse,
    commit: (id, envelope) =>
      inTurn(async () => {
        const judgement = judgeBlock(id, envelope, ledger)
        if (judgement.kind === 'refused') {
          refuse(id, envelope, judgement.reason)
          if (ledger.lease?.holder === id) conflict = true
          return judgement
        }
        settled = true
        if (judgement.kind === 'next') {
          await ledger.append(envelope)
          recorded.inc()
        }
        lastRecordMs = clock.monotonicMs()
        leaseUntilMs = Math.max(leaseUntilMs, lastRecordMs + options.unsafeIntervalMs)
        return { kind: 'recorded' }
      }),
    leads: (id) => ledger.lease?.holder === id,
    get leader() {
      return leader()
    },
    members: candidates.map(({ id, address }) => ({ id, address })),
    get term() {
      return ledger.lease?.term ?? 0
    },
    get paused() {
      return paused
    },
    set paused(value) {
      paused = value
      log.info(value ? 'paused: leadership stays where it is' : 'resumed')
    },
    illnessOf: roster.illnessOf,
    transfer: (to) => conducting(() => transfer(to)),
    get head() {
      return ledger.head
    },
  }
}
