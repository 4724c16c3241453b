/**
 * The duty of a validator's keys: in each epoch one attestation of each active key to the newest final block, signed
 * past slashing protection, over gossip and on chain, in time, and the same one again when it was lost.
 */
import { type Attestation, encodeAttest } from '@keelson/contracts'
import type { Address } from '@keelson/primitives'
import type { Service } from '@keelson/runtime'
import { ConsensusError, messageOf, severityOf } from '../../errors.ts'
import type { AttestationSigner } from '../signer.ts'
import type { ChainHead, KeyPosition, StakingPositions, StakingTerms } from '../staking/staking-chain.ts'
import { chooseCheckpoint, decideDuty, type EpochPlace, placeOf } from './decide-duty.ts'
import { createDutyMetrics } from './duty-metrics.ts'
import type { DutyLoopDependencies, DutyLoopOptions, DutyStep, HeldAttestation, KeyStatus } from './duty-ports.ts'
import { createDutyRecord } from './duty-record.ts'
import { createOwnKeysWatch, type OwnKeysWatch, slashedError } from './own-keys-watch.ts'

export interface DutyLoop extends Service {
  /** Looks once at the chain and does what is due. Throws ConsensusError `consensus/doppelganger` or `consensus/slashed`, after which nothing may go on. */
  step(): Promise<DutyStep>
  /** Why duties are not done as they should be; null when they are. */
  trouble(): { readonly reason: string; readonly remedy?: string } | null
  /** What the keys are doing, in a line. */
  summary(): string
  /** Of the last step; null before the first. */
  lastStep(): DutyStep | null
  readonly failure: Promise<never>
}

/** More than an attestation takes at its costliest place: days of silence are settled with it. */
const ATTEST_GAS = 500_000n
/** Of one attestation: each costs a fee. */
const MAX_SENDS = 5
/** A look takes well below a second when all answer. */
const SLOW_LOOK_MS = 10_000
const SLOW_LOOK = `a look at the chain takes more than ${SLOW_LOOK_MS / 1000} s: the execution client, the consensus client or a signing service does not answer`
const LABEL = /^attest (0x[0-9a-f]{40}) (\d+)$/

type Checkpoint = Attestation | { readonly state: 'waiting' | 'nothing-final'; readonly reason: string }

interface Started {
  readonly watch: OwnKeysWatch
  /** First epoch this process may attest in. */
  readonly firstEpoch: number
}

export function createDutyLoop(options: DutyLoopOptions, deps: DutyLoopDependencies): DutyLoop {
  const { chain, rollup, gossip, protection, sender, clock, log } = deps
  const metrics = createDutyMetrics(deps.metrics)
  const record = createDutyRecord({ metrics, log })
  const signers = new Map(deps.signers.map((signer) => [signer.address, signer]))
  const keys = [...signers.keys()]
  const held = new Map<Address, HeldAttestation>()
  /** Keys with a transaction on its way, and for which epoch. */
  const sending = new Map<Address, number>()
  const refusals = new Map<Address, { readonly epoch: number; readonly reason: string }>()
  const told = new Map<Address, KeyStatus['state']>()
  const stopping = new AbortController()
  let started: Started | null = null
  let recovered = false
  let last: DutyStep | null = null
  let sendTrouble: string | null = null
  let failed: string | null = null
  let lookingSinceMs: number | null = null
  let loop: Promise<void> = Promise.resolve()
  let fail: (error: unknown) => void = () => undefined
  const failure = new Promise<never>((_, reject) => {
    fail = reject
  })
  failure.catch(() => undefined)

  async function recover(): Promise<void> {
    if (recovered) return
    const found = await sender.recover()
    recovered = true
    for (const { label, receipt } of found) {
      const [, key, epoch] = LABEL.exec(label) ?? []
      if (key !== undefined) track(key as Address, Number(epoch), receipt)
    }
  }

  /** The chain says whether it counts; here it is only known that one is on its way. */
  function track(key: Address, epoch: number, receipt: Promise<unknown>): void {
    sending.set(key, epoch)
    const over = () => {
      if (sending.get(key) === epoch) sending.delete(key)
    }
    receipt.then(over, (error: unknown) => {
      over()
      if (!stopping.signal.aborted) sendTrouble = messageOf(error)
    })
  }

  /** What this process must not sign for: whatever may have been signed elsewhere before it knew. */
  async function begin({ number }: ChainHead, positions: StakingPositions, { epoch }: EpochPlace): Promise<Started> {
    const firstEpoch = epoch + 1 + options.doppelgangerEpochs
    // the watermark lets records go, and what an earlier run sent may still come in
    const own = await Promise.all(
      keys.flatMap((key) => [epoch - 1, epoch].map((of) => protection.recordedAttestation(key, Math.max(0, of)))),
    )
    const earlier = own.flatMap((recorded) => (recorded === null ? [] : [recorded.attestation]))
    for (const { key, duty } of positions.keys) await protection.raiseWatermark(key, Math.max(duty.lastEpoch, firstEpoch - 1))
    if (options.doppelgangerEpochs === 0) {
      log.warn('not listening for another machine with the same keys (--doppelganger.epochs=0): two of them are slashed')
    } else {
      log.info('listening for another machine with the same keys', { epochs: options.doppelgangerEpochs, firstEpoch })
    }
    const { slashingsKnownUntil } = options
    return { firstEpoch, watch: createOwnKeysWatch({ keys, startHead: number, startEpoch: epoch, earlier, slashingsKnownUntil }, deps) }
  }

  async function finalBlock(place: EpochPlace, head: number) {
    const { finalizedL2 } = await rollup.syncStatus()
    const choice = chooseCheckpoint(finalizedL2, place, head)
    if (choice.kind === 'waiting' || choice.kind === 'nothing-final') return { state: choice.kind, reason: choice.reason }
    return choice.kind === 'block' ? choice : (await rollup.outputAtBlock(choice.number)).block
  }

  async function checkpoint(place: EpochPlace, head: number): Promise<Checkpoint> {
    const block = await finalBlock(place, head).catch((error: unknown) => {
      if (severityOf(error) === 'critical') throw error
      return { state: 'waiting' as const, reason: `the consensus client does not say what is final: ${messageOf(error)}` }
    })
    if ('state' in block) return block
    const hash = await chain.blockHash(block.number)
    if (hash !== block.hash) {
      const reason = `the consensus client says final block ${block.number} is ${block.hash}, the execution client has ${hash ?? 'none'} there: they are not of one chain, or one is behind`
      return { state: 'waiting', reason }
    }
    return {
      epoch: place.epoch,
      checkpointNumber: block.number,
      checkpointHash: block.hash,
      l1OriginNumber: block.l1Origin.number,
      l1OriginHash: block.l1Origin.hash,
    }
  }

  /** Signs what is recorded for the epoch, if something is, so that it is the same after a restart. */
  async function sign(signer: AttestationSigner, positions: StakingPositions, chosen: Attestation): Promise<HeldAttestation> {
    const recorded = await protection.recordedAttestation(signer.address, chosen.epoch)
    const domain = { chainId: options.chainId, contract: chain.contract }
    const request = recorded ?? { domain, anchor: positions.anchor, attestation: chosen }
    const signature = await signer.sign(request)
    log.info('signed an attestation', { key: signer.address, epoch: chosen.epoch, checkpoint: request.attestation.checkpointNumber })
    return { epoch: chosen.epoch, signed: { attestation: request.attestation, signature }, published: false, sends: 0 }
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

  /** The chain counts one attestation of a key in an epoch, so sending it again does no harm but its fee. */
  function send(key: Address, attestation: HeldAttestation): void {
    const { epoch, signed } = attestation
    attestation.sends++
    const label = `attest ${key} ${epoch}`
    const receipt = sender.send({ to: chain.contract, data: encodeAttest(signed), gasLimit: ATTEST_GAS, label })
    // what was not mined cost no fee: it is sent until the epoch ends
    receipt.catch(() => attestation.sends--)
    track(
      key,
      epoch,
      receipt.then(({ succeeded, blockNumber, transactionHash }) => {
        sendTrouble = null
        if (succeeded) log.info('attested', { key, epoch, block: blockNumber, tx: transactionHash })
        else log.warn('an attestation was mined and refused; looking again', { key, epoch, block: blockNumber, tx: transactionHash })
      }),
    )
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
    if (attestation.sends >= MAX_SENDS)
      return status(key, 'refused', `it was mined ${MAX_SENDS} times and the contract refused it; the transactions are in the log`)
    send(key, attestation)
    return status(key, 'sent')
  }

  const status = (key: Address, state: KeyStatus['state'], reason: string | null = null): KeyStatus => ({ key, state, reason })

  async function perform(
    position: KeyPosition,
    positions: StakingPositions,
    place: EpochPlace,
    head: number,
    terms: StakingTerms,
    firstEpoch: number,
    choose: () => Promise<Checkpoint>,
  ): Promise<KeyStatus> {
    const { key } = position
    const mine = held.get(key)
    const now = mine?.epoch === place.epoch ? mine : undefined
    const decision = decideDuty({
      position,
      place,
      head,
      minimumStakeWei: terms.minimumStakeWei,
      firstEpoch,
      signed: now !== undefined,
      sending: sending.get(key) === place.epoch,
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
      if (!(error instanceof ConsensusError) || error.code !== 'consensus/signing-refused') return status(key, 'waiting', reason)
      refusals.set(key, { epoch: chosen.epoch, reason })
      log.error('slashing protection refuses to sign', { key, epoch: chosen.epoch, reason })
      return status(key, 'refused', reason)
    }
  }

  async function step(): Promise<DutyStep> {
    const stop = protection.stopped()
    if (stop !== null) throw slashedError(stop.reason, stop.key)
    await recover()
    const head = await chain.head()
    const terms = await chain.terms()
    const ageSec = Math.floor(clock.nowMs() / 1000) - head.timestampSec
    if (ageSec > options.maxHeadAgeSec) {
      return waiting(`the newest block, ${head.number}, is ${ageSec} s old: the node is behind, or the chain stands still`)
    }
    const place = placeOf(head.number, terms)
    const positions = await chain.positions(keys, head.number, place.epoch)
    metrics.looked(positions, terms)
    started ??= await begin(head, positions, place)
    const events = await started.watch.look(head.number, positions.keys, terms)
    record.look({ place, positions, events, terms, firstEpoch: started.firstEpoch })
    let chosen: Promise<Checkpoint> | undefined
    const choose = () => {
      chosen ??= checkpoint(place, head.number)
      return chosen
    }
    const statuses: KeyStatus[] = []
    for (const position of positions.keys) {
      statuses.push(await perform(position, positions, place, head.number, terms, started.firstEpoch, choose))
    }
    await tellNextDuty(head, place, statuses, started.firstEpoch, terms)
    last = { kind: 'looked', head: head.number, ...place, keys: statuses }
    sayWhatChanged(statuses)
    return last
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

  async function tellNextDuty(head: ChainHead, place: EpochPlace, statuses: readonly KeyStatus[], firstEpoch: number, terms: StakingTerms) {
    const due = statuses.some(({ state }) => state === 'waiting' || state === 'sent' || state === 'under-way')
    const slot = due ? place.slot : Math.max(place.nextSlot, firstEpoch * terms.epochBlocks)
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
      if (error instanceof ConsensusError && (error.code === 'consensus/doppelganger' || error.code === 'consensus/slashed')) throw error
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
      const reason = sendTrouble ?? sender.trouble()?.reason
      return reason === undefined ? null : { reason: `attestations do not get to the chain: ${reason}` }
    },
    summary() {
      if (last === null) return 'starting'
      if (last.kind === 'waiting') return last.reason
      const reasons = new Set(last.keys.map(({ state, reason }) => (reason === null ? state : `${state}: ${reason}`)))
      return `epoch ${last.epoch}: ${[...reasons].join('; ')}`
    },
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
