/**
 * Decides which sequencer leads. Every block is recorded in the ledger by `commit` before it is gossiped, so choosing the wrong
 * leader costs only time. The ledger is this process's own, or shared with the conductors of other sequencers.
 */
import { type Clock, type Hash, type Logger, messageOf, type PayloadEnvelope, severityOf } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import { type BlockJudgement, judgeBlock } from './judge-block.ts'
import { createL1Origins, type L1Origins } from './l1-origins.ts'
import { Leadership } from './leadership.ts'
import type { ConductorOptions } from './options.ts'
import type { Candidate, L1Hashes, Ledger, Observed, Peers } from './ports.ts'
import { createRecordCheck, type OriginOf, type RecordCheck } from './record/record-check.ts'
import { findContenders, type Resumption, resumeRecord } from './record/record-resume.ts'
import { createRevertedWait, REVERTED_WAIT_MS, type RevertedWait } from './record/reverted-wait.ts'
import { createRoster, type Roster } from './roster.ts'
import { StoreLoss } from './store-loss.ts'
import { createTurns } from './turns.ts'
import { WaitingLog } from './waiting-log.ts'

export type CommitOutcome = { readonly kind: 'recorded' } | { readonly kind: 'refused'; readonly reason: string }

export interface ConductorMember {
  readonly id: string
  readonly address: string
}

export interface Arbiter {
  /** Returns milliseconds until the next step. */
  step(): Promise<number>
  /** Resolves when the block is in the ledger. */
  commit(id: string, envelope: PayloadEnvelope): Promise<CommitOutcome>
  refuse(id: string, envelope: PayloadEnvelope, reason: string): void
  leads(id: string): boolean
  readonly leader: ConductorMember | null
  readonly members: readonly ConductorMember[]
  readonly term: number
  /** While true, nobody is started or stopped; blocks are still recorded. */
  paused: boolean
  illnessOf(id: string): string | null
  /** Moves leadership to the candidate `to`, or if null to the best other one. Returns the reason on failure. */
  transfer(to: string | null): Promise<string | null>
  readonly head: { readonly number: number; readonly hash: Hash } | null
}

export interface ArbiterDependencies {
  /** Sequencers that this conductor starts and stops. */
  readonly candidates: readonly Candidate[]
  readonly ledger: Ledger
  /** Null when no other conductor writes to the ledger. */
  readonly peers: Peers | null
  readonly l1: L1Hashes
  readonly originOf: OriginOf
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

const HAND_OVER_INTERVAL_MS = 100
/** Before anyone leads, time to wait for silent candidates, which may hold blocks made without the conductor. */
const PATIENCE_MS = 30_000

const REMEDIES: Readonly<Record<Exclude<Resumption['kind'], 'settled'>, string>> = {
  waiting: `start it; otherwise the others continue from the recorded head ${PATIENCE_MS / 1_000} s after the start`,
  reverting: `it gives up the reverted blocks by itself; after ${REVERTED_WAIT_MS / 1_000} s the others continue without it`,
  disputed:
    "leadership continues when L1 has blocks of one of them; or stop all sequencers and conductors and empty the conductor's store: the record then begins with the highest block of any",
  'held-by-another': 'its conductor compares them with the record and continues from them',
}

const OVERRIDDEN_REMEDY =
  'restart its consensus client to give it back, and the record continues from its blocks; if that is lost for good, restart all conductors'
const UNREPORTED = 'the store was lost, and other conductors may have yet to report their sequencers'

export function createArbiter(options: ConductorOptions, deps: ArbiterDependencies): Arbiter {
  return new RecordingArbiter(options, deps)
}

class RecordingArbiter implements Arbiter {
  readonly members: readonly ConductorMember[]
  readonly #options: ConductorOptions
  readonly #deps: ArbiterDependencies
  readonly #ledger: Ledger
  readonly #origins: L1Origins
  readonly #records: RecordCheck
  readonly #roster: Roster
  readonly #leadership: Leadership
  readonly #recorded: ReturnType<Metrics['counter']>
  readonly #refusals: ReturnType<Metrics['counter']>
  readonly #waiting = new WaitingLog()
  readonly #inTurn = createTurns()
  readonly #conducting = createTurns()
  readonly #reverted: RevertedWait
  readonly #loss: StoreLoss
  readonly #impatientAtMs: number
  #conflict = false
  #paused: boolean
  /** The record is known to be the highest chain, so a candidate may lead. */
  #settled = false
  /** The store has answered once. */
  #knowsStore = false

  constructor(options: ConductorOptions, deps: ArbiterDependencies) {
    const { candidates, clock, ledger, log, metrics, peers } = deps
    const others = peers?.candidates ?? []
    this.#options = options
    this.#deps = deps
    this.#paused = options.paused
    this.#impatientAtMs = clock.monotonicMs() + PATIENCE_MS
    this.members = [...candidates, ...others]
    this.#ledger = ledger
    this.#origins = createL1Origins(deps.l1, deps)
    this.#reverted = createRevertedWait(clock)
    this.#loss = new StoreLoss(clock)
    const shared = { inTurn: this.#inTurn, clock, log }
    this.#records = createRecordCheck(ledger, { origins: this.#origins, originOf: deps.originOf, ...shared })
    this.#recorded = metrics.counter('recorded_blocks_total', 'blocks recorded before they were gossiped')
    this.#refusals = metrics.counter('refused_blocks_total', 'blocks that were not recorded')
    metrics.gauge('leader', '1 for the candidate that leads', ['candidate'], () =>
      this.members.map(({ id }) => [{ candidate: id }, ledger.lease?.holder === id ? 1 : 0] as const),
    )
    this.#roster = createRoster(candidates, others, ledger, options, clock)
    this.#leadership = new Leadership(options, { candidates, ledger, roster: this.#roster, waiting: this.#waiting, metrics, ...shared })
  }

  get leader(): Observed | null {
    return this.#leadership.leader
  }

  get head(): Arbiter['head'] {
    return this.#ledger.head
  }

  get term(): number {
    return this.#ledger.lease?.term ?? 0
  }

  get paused(): boolean {
    return this.#paused
  }

  set paused(value: boolean) {
    this.#paused = value
    // Another may have sealed without the record meanwhile.
    this.#settled = false
    this.#deps.log.info(value ? 'paused: leadership stays where it is' : 'resumed')
  }

  leads(id: string): boolean {
    return this.#ledger.lease?.holder === id
  }

  illnessOf(id: string): string | null {
    return this.#roster.illnessOf(id)
  }

  step(): Promise<number> {
    return this.#conducting(() => this.#lookAndConduct())
  }

  transfer(to: string | null): Promise<string | null> {
    return this.#conducting(() => this.#transfer(to))
  }

  commit(id: string, envelope: PayloadEnvelope): Promise<CommitOutcome> {
    return this.#inTurn(() => this.#commit(id, envelope))
  }

  refuse(id: string, { payload }: PayloadEnvelope, reason: string): void {
    this.#refusals.inc()
    this.#deps.log.warn('a block is not recorded', { candidate: id, number: payload.blockNumber, hash: payload.blockHash, reason })
  }

  async #commit(id: string, envelope: PayloadEnvelope): Promise<CommitOutcome> {
    const objection = this.#objectionTo(id)
    if (objection !== null) {
      this.refuse(id, envelope, objection)
      return { kind: 'refused', reason: objection }
    }
    let judgement: BlockJudgement
    try {
      judgement = await this.#record(id, envelope)
    } catch (error) {
      if (severityOf(error) === 'critical') throw error
      const reason = `it may not be recorded: ${messageOf(error)}`
      this.refuse(id, envelope, reason)
      return { kind: 'refused', reason }
    }
    if (judgement.kind === 'refused') {
      this.refuse(id, envelope, judgement.reason)
      if (this.leads(id)) this.#conflict = true
      return judgement
    }
    this.#settled = true
    if (judgement.kind === 'next') this.#recorded.inc()
    this.#leadership.noteRecorded()
    return { kind: 'recorded' }
  }

  /** Returns why no block of a candidate may be recorded now, or null. */
  #objectionTo(id: string): string | null {
    const rival = this.#roster.rivalOf(id)
    if (rival !== null) return `an operator overrode ${rival.id}, which seals without the record`
    return this.#loss.lasts ? UNREPORTED : null
  }

  async #record(id: string, envelope: PayloadEnvelope): Promise<BlockJudgement> {
    const ledger = this.#ledger
    const judgement = judgeBlock(id, envelope, ledger)
    if (judgement.kind !== 'next' || (await ledger.append(this.term, envelope))) return judgement
    await ledger.refresh()
    const second = judgeBlock(id, envelope, ledger)
    return second.kind === 'next' ? { kind: 'refused', reason: 'the record moved meanwhile; the block may be sent again' } : second
  }

  /** Returns whether a candidate of this conductor leads. */
  async #exchange(peers: Peers): Promise<boolean> {
    try {
      await peers.exchange(this.#roster.ownReports())
    } catch (error) {
      if (severityOf(error) === 'critical') throw error
      // The leader cannot record a block either, which is not its fault.
      this.#leadership.renew()
      this.#loss.noteLost()
      // Before the first answer it may be the wrong store; a sequencer that asks this conductor cannot seal without it anyway.
      if (!this.#paused && this.#knowsStore) await this.#leadership.stopStrays()
      throw error
    }
    this.#knowsStore = true
    if (this.#loss.noteAnswered()) this.#settled = false
    await this.#roster.lookAtOthers()
    if (peers.allReported && this.#roster.statuses().every((status) => status !== null)) this.#loss.noteAllReported()
    this.#leadership.noteTerm()
    if (this.#leadership.ownLeader !== null) return true
    this.#settled = false
    this.#conflict = false
    return false
  }

  async #lookAndConduct(): Promise<number> {
    const { blockTimeSec, healthIntervalMs } = this.#options
    const { peers } = this.#deps
    const roster = this.#roster
    await roster.look()
    this.#leadership.noteTerm()
    const leads = peers === null || (await this.#exchange(peers))
    if (roster.overridden !== null) return this.#standBack(roster.overridden)
    if (this.#loss.lasts) {
      if (!this.#paused) await this.#leadership.suspend()
      return HAND_OVER_INTERVAL_MS
    }
    if (!leads) {
      if (!this.#paused) await this.#leadership.conduct()
      return this.leader === null ? HAND_OVER_INTERVAL_MS : healthIntervalMs
    }
    const answered = this.head === null || (await this.#settle()) !== 'waiting'
    const isStalled = this.#leadership.quietMs() > 2 * blockTimeSec * 1_000
    if (answered && (this.head === null || this.#conflict || !this.#settled || isStalled)) {
      this.#conflict = false
      await this.#records.correct(roster.statuses())
      if (!this.#settled) await this.#settle()
    }
    if (this.#paused || !this.#settled) {
      this.#leadership.renew()
      return this.#paused ? healthIntervalMs : HAND_OVER_INTERVAL_MS
    }
    await this.#leadership.conduct()
    const { leader } = this
    return leader !== null && roster.observed(leader).status?.active === true ? healthIntervalMs : HAND_OVER_INTERVAL_MS
  }

  /** An overridden sequencer seals without the record, so any other leader would make a second block at its heights. */
  async #standBack({ id }: Observed): Promise<number> {
    const { log } = this.#deps
    const { ownLeader } = this.#leadership
    const rival = ownLeader === null ? null : this.#roster.rivalOf(ownLeader.id)
    this.#settled = false
    this.#leadership.renew()
    if (ownLeader === null || rival === null) {
      this.#waiting.log(`overridden ${id}`, () =>
        log.warn('an operator overrode the conductor: leadership stays where it is', { sequencer: id, remedy: OVERRIDDEN_REMEDY }),
      )
      return this.#options.healthIntervalMs
    }
    this.#waiting.log(`overridden ${rival.id} beside ${ownLeader.id}`, () =>
      log.error('an operator overrode a sequencer that does not lead: the leader may not seal beside it', {
        sequencer: rival.id,
        leader: ownLeader.id,
        remedy: `${OVERRIDDEN_REMEDY}; where both made blocks, nobody leads until L1 has those of one`,
      }),
    )
    if (!this.#paused) await this.#leadership.stopLeader()
    return this.#options.healthIntervalMs
  }

  async #settle(): Promise<Resumption['kind']> {
    const { clock, log, peers } = this.#deps
    const { head, leader } = this
    if (this.#settled || head === null || (leader !== null && this.#leadership.isAtWork(leader))) {
      this.#settled ||= head !== null
      return this.#settled ? 'settled' : 'waiting'
    }
    const roster = this.#roster
    const seen = roster.all.map((each) => ({ id: each.id, own: roster.findOwn(each.id), status: roster.observed(each).status }))
    const { contending, reverting } = await findContenders(seen, head, this.#origins)
    const isPatient = peers === null && clock.monotonicMs() < this.#impatientAtMs
    const isReverting = this.#reverted.lasts(reverting.length > 0)
    const outcome = await this.#inTurn(async (): Promise<Resumption> => {
      if (this.#settled) return { kind: 'settled' }
      const reason = `L1 reverted the newest blocks of ${reverting.join(', ')}, and older ones may extend the record`
      return isReverting ? { kind: 'reverting', reason } : resumeRecord(this.#ledger, contending, isPatient, log)
    })
    this.#settled = outcome.kind === 'settled'
    if (outcome.kind === 'settled') {
      this.#reverted.lasts(false)
      return outcome.kind
    }
    const holder = outcome.kind === 'held-by-another' ? roster.find(outcome.id) : null
    if (holder !== null && !this.#paused) await this.#leadership.grant(holder, 'ahead', outcome.reason)
    const remedy = REMEDIES[outcome.kind]
    this.#waiting.log(outcome.kind, () => log.warn('nobody may lead yet', { reason: outcome.reason, remedy }))
    return outcome.kind
  }

  async #transfer(to: string | null): Promise<string | null> {
    const roster = this.#roster
    const { leader } = this
    if (to !== null && roster.find(to) === null)
      return `there is no candidate ${to}; there are ${this.members.map(({ id }) => id).join(', ')}`
    if (to !== null && to === leader?.id) return `${to} leads already`
    const own = this.#leadership.ownLeader
    if (own === null && this.#deps.peers !== null)
      return leader === null ? 'nobody leads yet' : `${leader.id} leads: ask the conductor beside it`
    if (roster.overridden !== null) return `${roster.overridden.id} seals without the conductor: restart its consensus client first`
    if (this.#loss.lasts) return UNREPORTED
    await roster.look()
    if ((await this.#settle()) !== 'settled') return 'nobody may lead yet: the record is not known to be the highest chain'
    const next = to === null ? roster.findBest(leader) : roster.find(to)
    const reason = next === null ? 'no other candidate can lead' : roster.reasonAgainst(next)
    if (next === null || reason !== null) return next === null ? reason : `${next.id} cannot lead: ${reason}`
    if (own !== null) await this.#leadership.stop(own)
    const moved = await this.#leadership.grant(next, 'operator', 'the operator asked for it')
    return moved ? null : 'leadership moved meanwhile; ask again'
  }
}
