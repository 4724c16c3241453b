import { type Address, messageOf, severityOf } from '@keelson/primitives'
import { createPoller, type Poller, type Service } from '@keelson/runtime'
import { ValidatorError } from '../errors.ts'
import { daysText, poolDaysLeft } from '../staking/reward-pool.ts'
import type { ChainHead, StakingPositions, StakingTerms } from '../staking/staking-chain.ts'
import { whyHeadIsAbsurd, whyPositionsAreAbsurd } from './absurd-answer.ts'
import { type AttestationSending, createAttestationSending } from './attestation-sending.ts'
import { type EpochPlace, placeOf } from './decide-duty.ts'
import { createDutyMetrics, type DutyMetrics } from './duty-metrics.ts'
import type { DutyLoopDependencies, DutyLoopOptions, DutyStep, KeyStatus } from './duty-ports.ts'
import { createDutyRecord, type DutyRecord } from './duty-record.ts'
import { type Checkpoint, createFinalCheckpoint } from './final-checkpoint.ts'
import { KeyDuties } from './key-duties.ts'
import { createOwnKeysWatch, type OwnKeysWatch, slashedError } from './own-keys-watch.ts'

/**
 * In each epoch each active key attests once to the newest final block; the attestation is signed past slashing protection,
 * published in gossip and sent to the chain.
 */
export interface DutyLoop extends Service {
  /** Throws ValidatorError `consensus/doppelganger` or `consensus/slashed`. */
  step(): Promise<DutyStep>
  trouble(): { readonly reason: string; readonly remedy?: string } | null
  summary(): string
  rewardPool(): string
  lastStep(): DutyStep | null
  readonly failure: Promise<never>
}

/** Blocks of the grace period reserved for mining the attestation. */
const SPARE_BLOCKS = 3
const SLOW_LOOK_MS = 10_000
const SLOW_LOOK = `a look at the chain takes more than ${SLOW_LOOK_MS / 1000} s: the execution client, the consensus client or a signing service does not answer`

interface Started {
  readonly watch: OwnKeysWatch
  readonly firstEpoch: number
  readonly firstBlock: number
}

export function createDutyLoop(options: DutyLoopOptions, deps: DutyLoopDependencies): DutyLoop {
  return new ValidatorDuties(options, deps)
}

class ValidatorDuties implements DutyLoop {
  readonly name = 'duties'
  readonly failure: Promise<never>
  readonly #options: DutyLoopOptions
  readonly #deps: DutyLoopDependencies
  readonly #keys: readonly Address[]
  readonly #metrics: DutyMetrics
  readonly #record: DutyRecord
  readonly #sending: AttestationSending
  readonly #duties: KeyDuties
  readonly #findCheckpoint: (place: EpochPlace, head: number) => Promise<Checkpoint>
  readonly #poller: Poller
  readonly #logged = new Map<Address, KeyStatus['state']>()
  #started: Started | null = null
  #last: DutyStep | null = null
  #absurd: string | null = null
  #poolDays: number | null = null
  #failed: string | null = null
  #lookingSinceMs: number | null = null

  constructor(options: DutyLoopOptions, deps: DutyLoopDependencies) {
    const { chain, sender, clock, log } = deps
    const { chainId, blockTimeSec, pollIntervalMs } = options
    this.#options = options
    this.#deps = deps
    this.#keys = deps.signers.map(({ address }) => address)
    this.#metrics = createDutyMetrics(deps.metrics, blockTimeSec)
    this.#record = createDutyRecord({ metrics: this.#metrics, log, blockTimeSec })
    this.#poller = createPoller(() => this.#pollOnce(), { clock, intervalMs: pollIntervalMs, onError: (error) => this.#end(error) })
    this.failure = this.#poller.failure
    this.#sending = createAttestationSending({ contract: chain.contract, sender, stopping: this.#poller.signal, clock, log })
    this.#duties = new KeyDuties(deps.signers, { ...deps, chainId, sending: this.#sending })
    this.#findCheckpoint = createFinalCheckpoint({ ...deps, metrics: this.#metrics })
  }

  async start(): Promise<void> {
    this.#poller.start()
  }

  stop(): Promise<void> {
    return this.#poller.stop()
  }

  lastStep(): DutyStep | null {
    return this.#last
  }

  trouble(): { readonly reason: string } | null {
    if (this.#lookingSinceMs !== null && this.#deps.clock.nowMs() - this.#lookingSinceMs > SLOW_LOOK_MS) return { reason: SLOW_LOOK }
    if (this.#failed !== null) return { reason: this.#failed }
    if (this.#last?.kind === 'waiting') return { reason: this.#last.reason }
    const bad = this.#last?.keys.find(({ state }) => state === 'waiting' || state === 'refused')
    if (bad !== undefined) return { reason: `key ${bad.key} cannot attest: ${bad.reason}` }
    const reason = this.#sending.trouble()
    return reason === null ? null : { reason: `attestations do not reach the chain: ${reason}` }
  }

  summary(): string {
    if (this.#last === null) return 'starting'
    if (this.#last.kind === 'waiting') return this.#last.reason
    const reasons = new Set(this.#last.keys.map(({ state, reason }) => (reason === null ? state : `${state}: ${reason}`)))
    return `epoch ${this.#last.epoch}: ${[...reasons].join('; ')}`
  }

  rewardPool(): string {
    return this.#poolDays === null ? 'not known yet' : `rewards for ${daysText(this.#poolDays)}`
  }

  async step(): Promise<DutyStep> {
    const { chain, protection, clock } = this.#deps
    const { maxHeadAgeSec, blockTimeSec } = this.#options
    const stop = protection.stopped()
    if (stop !== null) throw slashedError(stop.reason, stop.key)
    await this.#sending.recover()
    const head = await chain.head()
    const terms = await chain.terms()
    const ageSec = Math.floor(clock.nowMs() / 1000) - head.timestampSec
    if (ageSec > maxHeadAgeSec) {
      return this.#wait(
        `the newest block, ${head.number}, is ${ageSec} s old: the node is behind, the chain has stopped, or this clock is not the network's (--clock.offset-ms)`,
      )
    }
    const place = placeOf(head.number, terms)
    const positions = await this.#believablePositions(head, terms, place)
    if (typeof positions === 'string') return this.#wait(positions)
    this.#metrics.looked(positions, terms)
    this.#poolDays = poolDaysLeft(positions.accounts.poolWei, terms, blockTimeSec)
    this.#started ??= await this.#begin(head, positions, terms)
    const { watch, firstEpoch, firstBlock } = this.#started
    const events = await watch.look(head.number, positions.keys, terms)
    this.#record.look({ place, positions, events, terms, firstEpoch })
    const statuses = await this.#performAll(head.number, place, positions, terms, firstBlock)
    await this.#reportNextDuty(head, place, statuses, firstBlock)
    this.#last = { kind: 'looked', head: head.number, ...place, keys: statuses }
    this.#logChanges(statuses)
    return this.#last
  }

  async #performAll(
    head: number,
    place: EpochPlace,
    positions: StakingPositions,
    terms: StakingTerms,
    firstBlock: number,
  ): Promise<readonly KeyStatus[]> {
    let chosen: Promise<Checkpoint> | undefined
    const choose = () => {
      chosen ??= this.#findCheckpoint(place, head)
      return chosen
    }
    const statuses: KeyStatus[] = []
    for (const position of positions.keys) {
      statuses.push(await this.#duties.perform(position, { head, place, positions, terms, firstBlock, choose }))
    }
    return statuses
  }

  /** Delays signing until after the epochs that another process may have signed for. */
  async #begin({ number, timestampSec }: ChainHead, positions: StakingPositions, terms: StakingTerms): Promise<Started> {
    const { clock, protection, random, log } = this.#deps
    const { blockTimeSec, doppelgangerEpochs, slashingsKnownUntil } = this.#options
    // This node may be behind: the previous machine may have signed for a later epoch.
    const behindBlocks = Math.max(0, Math.floor((clock.nowMs() / 1000 - timestampSec) / blockTimeSec))
    const { epoch } = placeOf(number + behindBlocks, terms)
    const firstEpoch = epoch + 1 + doppelgangerEpochs
    for (const { key } of positions.keys) await protection.raiseWatermark(key, firstEpoch - 1)
    const most = doppelgangerEpochs === 0 ? 0 : Math.max(0, terms.graceBlocks - SPARE_BLOCKS)
    // Two processes that start together hear each other only after one has signed, so a random block decides which signs first.
    const firstBlock = firstEpoch * terms.epochBlocks + Math.floor(random.next() * (most + 1))
    if (doppelgangerEpochs === 0) {
      log.warn('not listening for another machine with the same keys (--doppelganger.epochs=0): two of them are slashed')
    } else {
      log.info('listening for another machine with the same keys', { epochs: doppelgangerEpochs, firstEpoch, firstBlock })
    }
    const watch = createOwnKeysWatch({ keys: this.#keys, startHead: number, startEpoch: epoch, slashingsKnownUntil }, this.#deps)
    return { firstEpoch, firstBlock, watch }
  }

  async #believablePositions(head: ChainHead, terms: StakingTerms, place: EpochPlace): Promise<StakingPositions | string> {
    const { chain, clock, log } = this.#deps
    const { blockTimeSec, maxHeadAgeSec: toleranceSec } = this.#options
    const time = { nowSec: Math.floor(clock.nowMs() / 1000), genesisTimeSec: await chain.genesisTimeSec(), blockTimeSec, toleranceSec }
    const before = this.#absurd
    this.#absurd = whyHeadIsAbsurd(head, terms, time)
    const positions = this.#absurd === null ? await chain.positions(this.#keys, head.number, place.epoch) : null
    if (positions !== null) this.#absurd = whyPositionsAreAbsurd(positions, place)
    if (positions !== null && this.#absurd === null) return positions
    if (before !== this.#absurd)
      log.error('impossible answer of the execution client: nothing is signed, and no watermark is raised', { reason: this.#absurd })
    return `${this.#absurd}`
  }

  #logChanges(statuses: readonly KeyStatus[]): void {
    for (const { key, state, reason } of statuses) {
      if (this.#logged.get(key) === state) continue
      this.#logged.set(key, state)
      const isIdle = state === 'inactive' || state === 'nothing-final' || state === 'too-late'
      if (reason !== null && isIdle) this.#deps.log.info(`does not attest: ${reason}`, { key })
    }
  }

  #wait(reason: string): DutyStep {
    this.#last = { kind: 'waiting', reason }
    return this.#last
  }

  async #reportNextDuty(head: ChainHead, place: EpochPlace, statuses: readonly KeyStatus[], firstBlock: number): Promise<void> {
    const due = statuses.some(({ state }) => state === 'waiting' || state === 'sent' || state === 'under-way')
    const slot = due ? place.slot : Math.max(place.nextSlot, firstBlock)
    this.#metrics.nextDuty(slot, head.timestampSec + (slot - head.number) * this.#options.blockTimeSec)
    for (const key of this.#keys) this.#metrics.watermark(key, (await this.#deps.protection.watermark(key)) ?? 0)
  }

  async #pollOnce(): Promise<void> {
    const { clock, log } = this.#deps
    const before = this.#failed
    this.#lookingSinceMs = clock.nowMs()
    try {
      await this.step()
      this.#failed = null
      if (before !== null) log.info('duties resumed')
    } catch (error) {
      if (error instanceof ValidatorError && (error.code === 'consensus/doppelganger' || error.code === 'consensus/slashed')) throw error
      this.#metrics.failed()
      this.#failed = messageOf(error)
      if (severityOf(error) === 'critical') log.warn('a step of the duties failed; retrying', { error })
      else if (before !== this.#failed) log.warn('a step of the duties failed; retrying', { reason: this.#failed })
    } finally {
      this.#lookingSinceMs = null
    }
  }

  #end(error: unknown): never {
    this.#deps.log.error('the validator stops', { error })
    throw error
  }
}
