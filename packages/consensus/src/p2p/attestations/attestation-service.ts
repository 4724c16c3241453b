/** Gossips attestations once the chain has a Staking contract, and finds offences. */

import type { Offences, SeenAttestation, SignedAttestation } from '@keelson/contracts'
import type { Address, Clock, Crypto, Hash, Logger } from '@keelson/primitives'
import { createPoller, type KeyValueStore, type Metrics, type Poller, type Service } from '@keelson/runtime'
import { ConsensusError, messageOf } from '../../errors.ts'
import type { BlockGossip, ContractReader, GossipedBlock } from '../../ports.ts'
import { AttestationIntake, signedPartOf } from './attestation-intake.ts'
import { encodeAttestationMessage } from './attestation-message.ts'
import { type AttestationPool, createAttestationPool } from './attestation-pool.ts'
import { type BlockEvidence, createBlockEvidence } from './block-evidence.ts'
import { canonicalSignature } from './canonical-signature.ts'
import { type CheckpointComparison, createCheckpointComparison } from './checkpoint-comparison.ts'
import { createAttestationJudge } from './judge-attestation.ts'
import { createOffenceBook, type OffenceBook } from './offence-book.ts'
import { createStakingView, type StakingView } from './staking-view.ts'

export interface AttestationServiceOptions {
  readonly chainId: bigint
  readonly blockTimeMs: number
  readonly contract: Address
}

export interface AttestationServiceDependencies {
  readonly reader: ContractReader
  readonly heads: () => { readonly unsafe: number; readonly safe: number; readonly finalized: number } | null
  readonly gossip: Pick<BlockGossip, 'attestations' | 'onSignedBlock'>
  /** Uses bucket 0x88. */
  readonly store: KeyValueStore
  readonly crypto: Crypto
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

export interface AttestationService extends Service {
  /** Rejects with the reason when peers would not accept it. */
  publishAttestation(signed: SignedAttestation): Promise<'accepted' | 'known'>
  attestations(epoch: number): Promise<readonly SeenAttestation[]>
  offences(): Promise<Offences>
  step(): Promise<void>
}

const STEP_EVERY_MS = 10_000
const MAX_UNSENT = 64

export function createAttestationService(options: AttestationServiceOptions, deps: AttestationServiceDependencies): AttestationService {
  return new GossipedAttestations(options, deps)
}

class GossipedAttestations implements AttestationService {
  readonly name = 'attestations'
  readonly failure: Promise<never>
  readonly #contract: Address
  readonly #deps: AttestationServiceDependencies
  readonly #log: Logger
  readonly #view: StakingView
  readonly #pool: AttestationPool
  readonly #evidence: BlockEvidence
  readonly #book: OffenceBook
  readonly #intake: AttestationIntake
  readonly #comparison: CheckpointComparison
  readonly #found: ReturnType<Metrics['counter']>
  readonly #poller: Poller
  readonly #unsent = new Set<string>()
  #joined = false
  #loaded: Promise<void> | null = null

  constructor(options: AttestationServiceOptions, deps: AttestationServiceDependencies) {
    const { reader, heads, gossip, crypto, clock, metrics } = deps
    const { chainId, contract, blockTimeMs } = options
    const log = deps.log.child('attestations')
    this.#contract = contract
    this.#deps = deps
    this.#log = log
    this.#poller = createPoller(() => this.step(), { clock, intervalMs: STEP_EVERY_MS })
    this.failure = this.#poller.failure
    this.#view = createStakingView({ contract, reader, clock })
    this.#pool = createAttestationPool()
    this.#evidence = createBlockEvidence()
    this.#book = createOffenceBook(deps.store, log)
    const [view, pool, book] = [this.#view, this.#pool, this.#book]
    const judge = createAttestationJudge({ domain: { chainId, contract }, view, pool, heads, crypto, clock, patienceMs: 2 * blockTimeMs })
    this.#found = metrics.counter('offences_found_total', 'offences seen by this node, by kind', ['kind'])
    metrics.gauge('attestations_kept', 'attestations seen lately', [], () => pool.size)
    this.#intake = new AttestationIntake({
      judge,
      pool,
      book,
      relay: (message) => gossip.attestations.publish(message),
      onOffence: (kind) => this.#found.inc(1, { kind }),
      stopping: this.#poller.signal,
      clock,
      log,
      metrics,
    })
    const onWrong = (seen: SeenAttestation, actualHash: Hash) => this.#onWrong(seen, actualHash)
    this.#comparison = createCheckpointComparison({ pool, call: reader.call, heads, clock, log, onWrong })
    gossip.onSignedBlock((block) => this.#onSignedBlock(block))
  }

  async start(): Promise<void> {
    this.#poller.start()
  }

  async stop(): Promise<void> {
    await this.#poller.stop()
    await this.#book.settled()
  }

  async step(): Promise<void> {
    await this.#load()
    await this.#view.refresh()
    if (this.#view.facts !== null && !this.#joined) {
      this.#joined = true
      this.#deps.gossip.attestations.open((message, from) => this.#intake.receive(message, from))
      this.#log.info('attestations are followed', { contract: this.#contract, epochBlocks: this.#view.facts.epochBlocks })
    }
    await this.#comparison.run()
  }

  async publishAttestation(signed: SignedAttestation): Promise<'accepted' | 'known'> {
    if (this.#view.facts === null) await this.#view.refresh()
    const judgement = await this.#intake.submit(signed)
    if (judgement.verdict !== 'accept') {
      const epochBlocks = this.#view.facts?.epochBlocks ?? null
      if (judgement.reason !== 'already-seen')
        throw refusal(judgement.reason, signed.attestation.epoch, epochBlocks, this.#deps.heads()?.unsafe ?? null)
      if (!this.#unsent.has(nameOf(signed))) return 'known'
    }
    const signature = canonicalSignature(signed.signature)?.bytes ?? signed.signature
    this.#unsent.add(nameOf(signed))
    if (this.#unsent.size > MAX_UNSENT) this.#unsent.delete(this.#unsent.values().next().value as string)
    await this.#deps.gossip.attestations.publish(encodeAttestationMessage({ ...signed, signature }))
    this.#unsent.delete(nameOf(signed))
    return 'accepted'
  }

  async attestations(epoch: number): Promise<readonly SeenAttestation[]> {
    return this.#pool.of(epoch).map(({ validator, seenMs, attestation, signature }) => ({ validator, seenMs, attestation, signature }))
  }

  async offences(): Promise<Offences> {
    await this.#load()
    return this.#book.list()
  }

  async #load(): Promise<void> {
    this.#loaded ??= this.#book.load()
    await this.#loaded.catch((error: unknown) => {
      this.#loaded = null
      this.#log.warn('evidence of offences could not be read', { reason: messageOf(error) })
    })
  }

  #onWrong(seen: SeenAttestation, actualHash: Hash): void {
    const { validator } = seen
    const { epoch, checkpointNumber: number, checkpointHash } = seen.attestation
    this.#book.addInvalidAttestation({ validator, ...signedPartOf(seen), actualHash })
    this.#found.inc(1, { kind: 'invalid-attestation' })
    this.#log.warn('a validator attested to a block that is not of the chain', { validator, epoch, number, checkpointHash, actualHash })
  }

  #onSignedBlock(block: GossipedBlock): void {
    const pair = this.#view.facts === null ? null : this.#evidence.note(block)
    if (pair === null) return
    const { blockKey, number, first, second } = pair
    this.#book.addDoubleBlock(pair)
    this.#found.inc(1, { kind: 'double-block' })
    this.#log.error('two blocks of one key at one place', { blockKey, number, first: first.blockHash, second: second.blockHash })
  }
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
