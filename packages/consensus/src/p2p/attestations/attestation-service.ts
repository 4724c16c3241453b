/**
 * Attestations among consensus clients: joins the topic once the chain has a Staking contract, judges and relays, keeps
 * what was seen, and finds offences in it: two for one epoch, checkpoints that are not the finalized blocks, two blocks
 * of one key at one place.
 */

import type { Offences, SeenAttestation, SignedAttestation } from '@keelson/contracts'
import type { Address, Clock, Crypto, Logger } from '@keelson/primitives'
import { createLogThrottle, type KeyValueStore, type Metrics, type Service } from '@keelson/runtime'
import { ConsensusError, messageOf } from '../../errors.ts'
import type { BlockGossip, ContractReader, GossipVerdict } from '../../ports.ts'
import { encodeAttestationMessage } from './attestation-message.ts'
import { createAttestationPool } from './attestation-pool.ts'
import { createBlockEvidence } from './block-evidence.ts'
import { canonicalSignature } from './canonical-signature.ts'
import { createCheckpointComparison } from './checkpoint-comparison.ts'
import { type AttestationDisregard, type AttestationJudgement, createAttestationJudge } from './judge-attestation.ts'
import { createOffenceBook } from './offence-book.ts'
import { createStakingView } from './staking-view.ts'

export interface AttestationServiceOptions {
  readonly chainId: bigint
  readonly blockTimeMs: number
  /** Address of the Staking contract. */
  readonly contract: Address
}

export interface AttestationServiceDependencies {
  readonly reader: ContractReader
  /** Numbers of the heads; null while they are not known. */
  readonly heads: () => { readonly unsafe: number; readonly safe: number; readonly finalized: number } | null
  readonly gossip: Pick<BlockGossip, 'attestations' | 'onSignedBlock'>
  /** Bucket 0x88 of it. */
  readonly store: KeyValueStore
  readonly crypto: Crypto
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

export interface AttestationService extends Service {
  /** Resolves to `known` when it was seen before. Rejects with the reason when peers would not accept it. */
  publishAttestation(signed: SignedAttestation): Promise<'accepted' | 'known'>
  /** Attestations seen for an epoch; a validator appears twice when it attested twice. */
  attestations(epoch: number): Promise<readonly SeenAttestation[]>
  offences(): Promise<Offences>
  /** Looks whether there is a contract, and compares what is final by now; the loop calls it. */
  step(): Promise<void>
}

/** While one was accepted this recently, this node is in the epoch that validators are in. */
const EPOCH_PROVEN_FOR_MS = 60_000
/** Grace period after a failed call to the execution client, during which excess messages do not count against peers. */
const UNANSWERED_FOR_MS = 60_000
/** Reasons for which validation stopped early; the message is validated again when another peer sends it. */
const DEFERRED: ReadonlySet<string> = new Set<AttestationDisregard>(['weight-unknown', 'too-many-waiting', 'too-many-strangers'])
const STEP_EVERY_MS = 10_000
const MAX_UNSENT = 64

export function createAttestationService(options: AttestationServiceOptions, deps: AttestationServiceDependencies): AttestationService {
  const { clock, gossip, heads, metrics } = deps
  const log = deps.log.child('attestations')
  const stopping = new AbortController()
  const view = createStakingView({ contract: options.contract, reader: deps.reader, clock })
  const pool = createAttestationPool()
  const evidence = createBlockEvidence()
  const book = createOffenceBook(deps.store, log)
  const judge = createAttestationJudge({
    domain: { chainId: options.chainId, contract: options.contract },
    view,
    pool,
    heads,
    crypto: deps.crypto,
    clock,
    patienceMs: 2 * options.blockTimeMs,
  })
  const judged = metrics.counter('gossip_attestations_total', 'attestations judged', ['verdict', 'reason'])
  const found = metrics.counter('offences_found_total', 'offences seen by this node, by kind', ['kind'])
  metrics.gauge('attestations_kept', 'attestations seen lately', [], () => pool.size)
  const tellBad = createLogThrottle(clock)
  const comparison = createCheckpointComparison({
    pool,
    call: deps.reader.call,
    heads,
    clock,
    log,
    onWrong(seen, actualHash) {
      const { epoch, checkpointNumber: number, checkpointHash } = seen.attestation
      book.addInvalidAttestation({ validator: seen.validator, ...strip(seen), actualHash })
      found.inc(1, { kind: 'invalid-attestation' })
      const fields = { validator: seen.validator, epoch, number, checkpointHash, actualHash }
      log.warn('a validator attested to a block that is not of the chain', fields)
    },
  })
  let acceptedMs = Number.NEGATIVE_INFINITY
  let unansweredMs = Number.NEGATIVE_INFINITY
  /** Own attestations not published yet, by epoch and signature. */
  const unsent = new Set<string>()
  let joined = false
  let loaded: Promise<void> | null = null
  let loop: Promise<void> = Promise.resolve()

  function count(judgement: AttestationJudgement): void {
    judged.inc(1, { verdict: judgement.verdict, reason: judgement.verdict === 'accept' ? 'valid' : judgement.reason })
  }

  function keep({ signed, validator, digest, second }: AttestationJudgement & { verdict: 'accept' }): void {
    const { epoch } = signed.attestation
    pool.add({ ...signed, validator, seenMs: clock.nowMs() }, digest)
    if (!second) return
    const [one, other] = pool.of(epoch).filter((seen) => seen.validator === validator)
    if (one === undefined || other === undefined) return
    book.addDoubleAttestation({ validator, epoch, first: strip(one), second: strip(other) })
    found.inc(1, { kind: 'double-attestation' })
    log.warn('a validator attested twice', { validator, epoch })
  }

  async function onMessage(message: Uint8Array, from: string): Promise<GossipVerdict> {
    const judgement = await judge.judgeMessage(message, from, stopping.signal)
    if (judgement.verdict === 'accept') return onAccepted(judgement)
    const verdict = verdictOf(judgement)
    judged.inc(1, { verdict, reason: judgement.reason })
    if (judgement.reason === 'weight-unknown') unansweredMs = clock.monotonicMs()
    if (verdict === 'reject') {
      tellBad((more) =>
        log.warn('a gossiped attestation was not accepted', { reason: judgement.reason, peer: from, ...(more === 0 ? {} : { more }) }),
      )
    }
    return verdict
  }

  function onAccepted(judgement: AttestationJudgement & { verdict: 'accept' }): GossipVerdict {
    count(judgement)
    keep(judgement)
    acceptedMs = clock.monotonicMs()
    if (judgement.canonical) return 'accept'
    // relay only the canonical form: anyone can derive the others, and peers would see them as new messages
    gossip.attestations
      .publish(encodeAttestationMessage(judgement.signed))
      .catch((error: unknown) => log.debug('an attestation was not relayed', { reason: messageOf(error) }))
    return 'ignore'
  }

  function verdictOf({ verdict, reason }: Exclude<AttestationJudgement, { verdict: 'accept' }>): GossipVerdict {
    if (reason !== 'rate-limited') return verdict === 'ignore' && DEFERRED.has(reason) ? 'defer' : verdict
    const nowMs = clock.monotonicMs()
    // a lagging node receives many messages that are too early for it, which its peers cannot know
    const isPeersFault = nowMs - acceptedMs <= EPOCH_PROVEN_FOR_MS && nowMs - unansweredMs > UNANSWERED_FOR_MS
    return isPeersFault ? 'excess' : 'defer'
  }

  function load(): Promise<void> {
    loaded ??= book.load().catch((error: unknown) => {
      loaded = null
      throw error
    })
    return loaded
  }

  async function step(): Promise<void> {
    await load().catch((error: unknown) => log.warn('evidence of offences could not be read', { reason: messageOf(error) }))
    await view.refresh()
    if (view.facts !== null && !joined) {
      joined = true
      gossip.attestations.open(onMessage)
      log.info('attestations are followed', { contract: options.contract, epochBlocks: view.facts.epochBlocks })
    }
    await comparison.run()
  }

  gossip.onSignedBlock((block) => {
    const pair = view.facts === null ? null : evidence.note(block)
    if (pair === null) return
    book.addDoubleBlock(pair)
    found.inc(1, { kind: 'double-block' })
    log.error('two blocks of one key at one place', {
      blockKey: pair.blockKey,
      number: pair.number,
      first: pair.first.blockHash,
      second: pair.second.blockHash,
    })
  })

  return {
    name: 'attestations',
    step,
    async publishAttestation(signed) {
      if (view.facts === null) await view.refresh()
      const judgement = await judge.judge(signed, stopping.signal)
      count(judgement)
      if (judgement.verdict !== 'accept') {
        if (judgement.reason !== 'already-seen')
          throw refusal(judgement.reason, signed.attestation.epoch, view.facts?.epochBlocks ?? null, heads()?.unsafe ?? null)
        if (!unsent.has(nameOf(signed))) return 'known'
      } else {
        keep(judgement)
      }
      const signature = canonicalSignature(signed.signature)?.bytes ?? signed.signature
      unsent.add(nameOf(signed))
      if (unsent.size > MAX_UNSENT) unsent.delete(unsent.values().next().value as string)
      await gossip.attestations.publish(encodeAttestationMessage({ ...signed, signature }))
      unsent.delete(nameOf(signed))
      return 'accepted'
    },
    attestations: async (epoch) =>
      pool.of(epoch).map(({ validator, seenMs, attestation, signature }) => ({ validator, seenMs, attestation, signature })),
    async offences() {
      await load().catch((error: unknown) => log.warn('evidence of offences could not be read', { reason: messageOf(error) }))
      return book.list()
    },
    async start() {
      const run = async () => {
        while (!stopping.signal.aborted) {
          await step()
          await clock.sleep(STEP_EVERY_MS, stopping.signal).catch(() => undefined)
        }
      }
      loop = run()
    },
    async stop() {
      stopping.abort()
      await loop
      await book.settled()
    },
  }
}

function strip({ attestation, signature }: SeenAttestation) {
  return { attestation, signature }
}

function nameOf({ attestation, signature }: Pick<SeenAttestation, 'attestation' | 'signature'>): string {
  return `${attestation.epoch} ${signature.join(',')}`
}

const REMEDIES: Readonly<Record<string, string>> = {
  off: 'there is no Staking contract with validators on this chain, as far as the execution client says',
  'head-unknown': 'this node has not found its head yet; try again',
  'epoch-over': 'attestations are taken for the current epoch and the one before',
  'epoch-to-come': 'attestations are taken for the current epoch and the one before',
  'enough-seen': 'two different ones of this validator for this epoch were seen already: it is double signing',
  'weight-unknown': 'the execution client did not say whether the signer is active; try again',
  'not-active': 'the signer is not an active validator of that epoch; check the key, the chain id and the contract',
  'maybe-not-active': 'the signer is not an active validator of that epoch; check the key, the chain id and the contract',
  'signature-invalid': 'expected 65 bytes r, s, v, made by a key for this chain and contract',
}

function refusal(reason: string, epoch: number, epochBlocks: number | null, head: number | null): ConsensusError {
  const current = head === null || epochBlocks === null ? 'unknown' : String(Math.floor(head / epochBlocks))
  const remedy = REMEDIES[reason] === undefined ? '' : `: ${REMEDIES[reason]}`
  const message = `the attestation of epoch ${epoch} is not taken (${reason}), the current epoch is ${current}${remedy}`
  return new ConsensusError('consensus/attestation-refused', 'temporary', message, { reason, epoch })
}
