/**
 * The duty of a validator's keys: in each epoch one attestation of each active key to the newest final block, signed
 * past slashing protection, over gossip and on chain, in time, and the same one again when it was lost.
 */
import type { Attestation } from '@keelson/contracts'
import type { Address } from '@keelson/primitives'
import { messageOf, severityOf } from '@keelson/primitives'
import type { Service } from '@keelson/runtime'
import { ValidatorError } from '../errors.ts'
import type { AttestationSigner } from '../signer.ts'
import { daysText, poolDaysLeft } from '../staking/reward-pool.ts'
import type { ChainHead, KeyPosition, StakingPositions, StakingTerms } from '../staking/staking-chain.ts'
import { whyHeadIsAbsurd, whyPositionsAreAbsurd } from './absurd-answer.ts'
import { createAttestationSending } from './attestation-sending.ts'
import { decideDuty, type EpochPlace, placeOf } from './decide-duty.ts'
import { createDutyMetrics } from './duty-metrics.ts'
import type { DutyLoopDependencies, DutyLoopOptions, DutyStep, HeldAttestation, KeyStatus } from './duty-ports.ts'
import { createDutyRecord } from './duty-record.ts'
import { type Checkpoint, createFinalCheckpoint } from './final-checkpoint.ts'
import { createOwnKeysWatch, type OwnKeysWatch, slashedError } from './own-keys-watch.ts'

export interface DutyLoop extends Service {
  /** Looks once at the chain and does what is due. Throws ValidatorError `consensus/doppelganger` or `consensus/slashed`, after which nothing may go on. */
  step(): Promise<DutyStep>
  /** Why duties are not done as they should be; null when they are. */
  trouble(): { readonly reason: string; readonly remedy?: string } | null
  /** What the keys are doing, in a line. */
  summary(): string
  /** How long the reward pool lasts, as one line of text. */
  rewardPool(): string
  /** Of the last step; null before the first. */
  lastStep(): DutyStep | null
  readonly failure: Promise<never>
}

/** Of the time of grace, for an attestation to be mined in. */
const SPARE_BLOCKS = 3
/** A look takes well below a second when all answer. */
const SLOW_LOOK_MS = 10_000
const SLOW_LOOK = `a look at the chain takes more than ${SLOW_LOOK_MS / 1000} s: the execution client, the consensus client or a signing service does not answer`

interface Started {
  readonly watch: OwnKeysWatch
  /** First epoch this process may attest in. */
  readonly firstEpoch: number
  /** First block of it in which it does. */
  readonly firstBlock: number
}

export function createDutyLoop(options: DutyLoopOptions, deps: DutyLoopDependencies): DutyLoop {
  const { chain, gossip, protection, clock, random, log } = deps
  const metrics = createDutyMetrics(deps.metrics, options.blockTimeSec)
  const record = createDutyRecord({ metrics, log, blockTimeSec: options.blockTimeSec })
  const signers = new Map(deps.signers.map((signer) => [signer.address, signer]))
  const keys = [...signers.keys()]
  const held = new Map<Address, HeldAttestation>()
  const refusals = new Map<Address, { readonly epoch: number; readonly reason: string }>()
  const told = new Map<Address, KeyStatus['state']>()
  const stopping = new AbortController()
  const sending = createAttestationSending({ contract: chain.contract, sender: deps.sender, stopping: stopping.signal, clock, log })
  const findCheckpoint = createFinalCheckpoint({ ...deps, metrics })
  let started: Started | null = null
  let last: DutyStep | null = null
  let absurd: string | null = null
  let poolDays: number | null = null
  let failed: string | null = null
  let lookingSinceMs: number | null = null
  let loop: Promise<void> = Promise.resolve()
  let fail: (error: unknown) => void = () => undefined
  const failure = new Promise<never>((_, reject) => {
    fail = reject
  })
  failure.catch(() => undefined)

  /** What this process must not sign for: whatever may have been signed elsewhere before it knew. */
  async function begin({ number, timestampSec }: ChainHead, positions: StakingPositions, terms: StakingTerms): Promise<Started> {
    // this node may be some blocks behind: the previous machine may have signed for the chain's current epoch
    const behindBlocks = Math.max(0, Math.floor((clock.nowMs() / 1000 - timestampSec) / options.blockTimeSec))
    const { epoch } = placeOf(number + behindBlocks, terms)
    const firstEpoch = epoch + 1 + options.doppelgangerEpochs
    for (const { key } of positions.keys) await protection.raiseWatermark(key, firstEpoch - 1)
    const most = options.doppelgangerEpochs === 0 ? 0 : Math.max(0, terms.graceBlocks - SPARE_BLOCKS)
    // two that begin together do not hear each other before one signs: by chance one of them is first, still in time
    const firstBlock = firstEpoch * terms.epochBlocks + Math.floor(random.next() * (most + 1))
    if (options.doppelgangerEpochs === 0) {
      log.warn('not listening for another machine with the same keys (--doppelganger.epochs=0): two of them are slashed')
    } else {
      log.info('listening for another machine with the same keys', { epochs: options.doppelgangerEpochs, firstEpoch, firstBlock })
    }
    const { slashingsKnownUntil } = options
    const watch = createOwnKeysWatch({ keys, startHead: number, startEpoch: epoch, slashingsKnownUntil }, deps)
    return { firstEpoch, firstBlock, watch }
  }

  /** Signs what is recorded for the epoch, if something is, so that it is the same after a restart. */
  async function sign(signer: AttestationSigner, positions: StakingPositions, chosen: Attestation): Promise<HeldAttestation> {
    const recorded = await protection.recordedAttestation(signer.address, chosen.epoch)
    const domain = { chainId: options.chainId, contract: chain.contract }
    const request = recorded ?? { domain, anchor: positions.anchor, attestation: chosen }
    const signature = await signer.sign(request)
    log.info('signed an attestation', { key: signer.address, epoch: chosen.epoch, checkpoint: request.attestation.checkpointNumber })
    return {
      epoch: chosen.epoch,
      signed: { attestation: request.attestation, signature },
      published: false,
      mined: 0,
      failures: 0,
      notBeforeMs: 0,
      minedIn: null,
    }
  }

  async function publish(key: Address, attestation: HeldAttestation): Promise<void> {
    if (attestation.published) return
    try {
      await gossip.publishAttestation(attestation.signed)
      attestation.published = true
    } catch (error) {
      log.debug('the attestation is not on gossip yet', { key, epoch: attestation.epoch, error })
    }
  }

  /** Never another: when this one can no longer count, the epoch is lost. */
  async function sendStanding(key: Address, attestation: HeldAttestation): Promise<KeyStatus> {
    const { checkpointNumber, checkpointHash } = attestation.signed.attestation
    if ((await chain.blockHash(checkpointNumber)) !== checkpointHash) {
      return status(
        key,
        'refused',
        `final block ${checkpointNumber}, which was attested to, is gone: nothing else is signed for this epoch`,
      )
    }
    return { key, ...sending.send(key, attestation) }
  }

  const status = (key: Address, state: KeyStatus['state'], reason: string | null = null): KeyStatus => ({ key, state, reason })

  async function perform(
    position: KeyPosition,
    positions: StakingPositions,
    place: EpochPlace,
    head: number,
    terms: StakingTerms,
    { firstBlock }: Started,
    choose: () => Promise<Checkpoint>,
  ): Promise<KeyStatus> {
    const { key } = position
    const mine = held.get(key)
    const now = mine?.epoch === place.epoch ? mine : undefined
    const decision = decideDuty({
      position,
      place,
      head,
      retentionStakeWei: terms.retentionStakeWei,
      firstBlock,
      signed: now !== undefined,
      // a receipt may be of a block after the one that is looked at
      sending: sending.isUnderWay(key, place.epoch) || (now?.minedIn ?? 0) > head,
    })
    if (now !== undefined && decision.kind !== 'too-late') await publish(key, now)
    switch (decision.kind) {
      case 'slashed':
        throw slashedError(`validator ${key} was slashed`, key)
      case 'attested':
      case 'under-way':
        return status(key, decision.kind)
      case 'inactive':
      case 'listening':
      case 'too-late':
        return status(key, decision.kind, decision.reason)
      case 'send':
        return sendStanding(key, now as HeldAttestation)
      case 'sign': {
        const refused = refusals.get(key)
        if (refused?.epoch === place.epoch) return status(key, 'refused', refused.reason)
        const chosen = await choose()
        if ('state' in chosen) return status(key, chosen.state, chosen.reason)
        return signAndSend(signers.get(key) as AttestationSigner, positions, chosen)
      }
    }
  }

  async function signAndSend(signer: AttestationSigner, positions: StakingPositions, chosen: Attestation): Promise<KeyStatus> {
    const key = signer.address
    try {
      const attestation = await sign(signer, positions, chosen)
      held.set(key, attestation)
      await publish(key, attestation)
      return await sendStanding(key, attestation)
    } catch (error) {
      const stop = protection.stopped()
      if (stop !== null) throw slashedError(stop.reason, stop.key)
      const reason = messageOf(error)
      if (!(error instanceof ValidatorError) || error.code !== 'consensus/signing-refused') return status(key, 'waiting', reason)
      refusals.set(key, { epoch: chosen.epoch, reason })
      log.error('slashing protection refuses to sign', { key, epoch: chosen.epoch, reason })
      return status(key, 'refused', reason)
    }
  }

  async function step(): Promise<DutyStep> {
    const stop = protection.stopped()
    if (stop !== null) throw slashedError(stop.reason, stop.key)
    await sending.recover()
    const head = await chain.head()
    const terms = await chain.terms()
    const ageSec = Math.floor(clock.nowMs() / 1000) - head.timestampSec
    if (ageSec > options.maxHeadAgeSec) {
      return waiting(
        `the newest block, ${head.number}, is ${ageSec} s old: the node is behind, the chain stands still, or this clock is not the network's (--clock.offset-ms)`,
      )
    }
    const place = placeOf(head.number, terms)
    const positions = await believablePositions(head, terms, place)
    if (typeof positions === 'string') return waiting(positions)
    metrics.looked(positions, terms)
    poolDays = poolDaysLeft(positions.accounts.poolWei, terms, options.blockTimeSec)
    started ??= await begin(head, positions, terms)
    const events = await started.watch.look(head.number, positions.keys, terms)
    record.look({ place, positions, events, terms, firstEpoch: started.firstEpoch })
    let chosen: Promise<Checkpoint> | undefined
    const choose = () => {
      chosen ??= findCheckpoint(place, head.number)
      return chosen
    }
    const statuses: KeyStatus[] = []
    for (const position of positions.keys) {
      statuses.push(await perform(position, positions, place, head.number, terms, started, choose))
    }
    await tellNextDuty(head, place, statuses, started.firstBlock)
    last = { kind: 'looked', head: head.number, ...place, keys: statuses }
    sayWhatChanged(statuses)
    return last
  }

  /** Why what the node says is not acted on, when it cannot be true. */
  async function believablePositions(head: ChainHead, terms: StakingTerms, place: EpochPlace): Promise<StakingPositions | string> {
    const nowSec = Math.floor(clock.nowMs() / 1000)
    const { blockTimeSec, maxHeadAgeSec: toleranceSec } = options
    const time = { nowSec, genesisTimeSec: await chain.genesisTimeSec(), blockTimeSec, toleranceSec }
    const before = absurd
    absurd = whyHeadIsAbsurd(head, terms, time)
    const positions = absurd === null ? await chain.positions(keys, head.number, place.epoch) : null
    if (positions !== null) absurd = whyPositionsAreAbsurd(positions, place)
    if (positions !== null && absurd === null) return positions
    if (before !== absurd)
      log.error('what the execution client says cannot be: nothing is signed, and no watermark raised', { reason: absurd })
    return `${absurd}`
  }

  /** Once for each change, for those who watch the log. */
  function sayWhatChanged(statuses: readonly KeyStatus[]): void {
    for (const { key, state, reason } of statuses) {
      if (reason === null || told.get(key) === state) continue
      told.set(key, state)
      if (state === 'inactive' || state === 'nothing-final' || state === 'too-late') log.info(`does not attest: ${reason}`, { key })
    }
    for (const { key, state, reason } of statuses) if (reason === null) told.set(key, state)
  }

  function waiting(reason: string): DutyStep {
    last = { kind: 'waiting', reason }
    return last
  }

  async function tellNextDuty(head: ChainHead, place: EpochPlace, statuses: readonly KeyStatus[], firstBlock: number) {
    const due = statuses.some(({ state }) => state === 'waiting' || state === 'sent' || state === 'under-way')
    const slot = due ? place.slot : Math.max(place.nextSlot, firstBlock)
    metrics.nextDuty(slot, head.timestampSec + (slot - head.number) * options.blockTimeSec)
    for (const key of keys) metrics.watermark(key, (await protection.watermark(key)) ?? 0)
  }

  /** The same words in the log and in `trouble`. */
  async function stepOnce(): Promise<void> {
    const before = failed
    lookingSinceMs = clock.nowMs()
    try {
      await step()
      failed = null
      if (before !== null) log.info('duties are looked after again')
    } catch (error) {
      if (error instanceof ValidatorError && (error.code === 'consensus/doppelganger' || error.code === 'consensus/slashed')) throw error
      metrics.failed()
      failed = messageOf(error)
      if (severityOf(error) === 'critical') log.warn('cannot look after duties, trying again', { error })
      else if (before !== failed) log.warn('cannot look after duties, trying again', { reason: failed })
    } finally {
      lookingSinceMs = null
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await stepOnce()
      await clock.sleep(options.pollIntervalMs, stopping.signal).catch(() => undefined)
    }
  }

  return {
    name: 'duties',
    failure,
    step,
    lastStep: () => last,
    trouble() {
      if (lookingSinceMs !== null && clock.nowMs() - lookingSinceMs > SLOW_LOOK_MS) return { reason: SLOW_LOOK }
      if (failed !== null) return { reason: failed }
      if (last?.kind === 'waiting') return { reason: last.reason }
      const bad = last?.keys.find(({ state }) => state === 'waiting' || state === 'refused')
      if (bad !== undefined) return { reason: `key ${bad.key} cannot attest: ${bad.reason}` }
      const reason = sending.trouble()
      return reason === null ? null : { reason: `attestations do not get to the chain: ${reason}` }
    },
    summary() {
      if (last === null) return 'starting'
      if (last.kind === 'waiting') return last.reason
      const reasons = new Set(last.keys.map(({ state, reason }) => (reason === null ? state : `${state}: ${reason}`)))
      return `epoch ${last.epoch}: ${[...reasons].join('; ')}`
    },
    rewardPool: () => (poolDays === null ? 'not known yet' : `rewards for ${daysText(poolDays)}`),
    async start() {
      loop = run().catch((error: unknown) => {
        log.error('the validator stops', { error })
        fail(error)
      })
    },
    async stop() {
      stopping.abort()
      await loop
    },
  }
}
