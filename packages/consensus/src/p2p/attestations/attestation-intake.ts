import type { SignedAttestation } from '@keelson/contracts'
import { type Clock, type Logger, messageOf } from '@keelson/primitives'
import { createLogThrottle, type Metrics } from '@keelson/runtime'
import type { GossipVerdict } from '../../ports.ts'
import { encodeAttestationMessage } from './attestation-message.ts'
import type { AttestationPool } from './attestation-pool.ts'
import type { AttestationDisregard, AttestationJudge, AttestationJudgement } from './judge-attestation.ts'
import type { OffenceBook } from './offence-book.ts'

type Accepted = AttestationJudgement & { verdict: 'accept' }
type NotAccepted = Exclude<AttestationJudgement, { verdict: 'accept' }>

export interface AttestationIntakeDependencies {
  readonly judge: AttestationJudge
  readonly pool: AttestationPool
  readonly book: OffenceBook
  readonly relay: (message: Uint8Array) => Promise<void>
  readonly onOffence: (kind: 'double-attestation') => void
  readonly stopping: AbortSignal
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

/** For this long after an accepted attestation, this node's head is assumed to be in the validators' epoch. */
const EPOCH_PROVEN_FOR_MS = 60_000
/** After a failed call to the execution client, excess messages do not count against peers for this time. */
const UNANSWERED_FOR_MS = 60_000
/** Reasons independent of the message, which is validated again when another peer sends it. */
const DEFERRED: ReadonlySet<string> = new Set<AttestationDisregard>(['weight-unknown', 'too-many-waiting', 'too-many-strangers'])

export class AttestationIntake {
  readonly #deps: AttestationIntakeDependencies
  readonly #judged: ReturnType<Metrics['counter']>
  readonly #throttle: ReturnType<typeof createLogThrottle>
  #acceptedMs = Number.NEGATIVE_INFINITY
  #unansweredMs = Number.NEGATIVE_INFINITY

  constructor(deps: AttestationIntakeDependencies) {
    this.#deps = deps
    this.#judged = deps.metrics.counter('gossip_attestations_total', 'attestations judged', ['verdict', 'reason'])
    this.#throttle = createLogThrottle(deps.clock)
  }

  async receive(message: Uint8Array, from: string): Promise<GossipVerdict> {
    const { judge, stopping, clock, log } = this.#deps
    const judgement = await judge.judgeMessage(message, from, stopping)
    if (judgement.verdict === 'accept') return this.#accept(judgement)
    const verdict = this.#verdictOf(judgement)
    this.#judged.inc(1, { verdict, reason: judgement.reason })
    if (judgement.reason === 'weight-unknown') this.#unansweredMs = clock.monotonicMs()
    if (verdict === 'reject') {
      this.#throttle((more) =>
        log.warn('a gossiped attestation was not accepted', { reason: judgement.reason, peer: from, ...(more === 0 ? {} : { more }) }),
      )
    }
    return verdict
  }

  async submit(signed: SignedAttestation): Promise<AttestationJudgement> {
    const judgement = await this.#deps.judge.judge(signed, this.#deps.stopping)
    this.#count(judgement)
    if (judgement.verdict === 'accept') this.#keep(judgement)
    return judgement
  }

  #accept(judgement: Accepted): GossipVerdict {
    const { relay, clock, log } = this.#deps
    this.#count(judgement)
    this.#keep(judgement)
    this.#acceptedMs = clock.monotonicMs()
    if (judgement.canonical) return 'accept'
    // Only the canonical form is relayed: anyone can derive the others, and peers would see them as new messages.
    relay(encodeAttestationMessage(judgement.signed)).catch((error: unknown) =>
      log.debug('an attestation was not relayed', { reason: messageOf(error) }),
    )
    return 'ignore'
  }

  #keep({ signed, validator, digest, second }: Accepted): void {
    const { pool, book, onOffence, clock, log } = this.#deps
    const { epoch } = signed.attestation
    pool.add({ ...signed, validator, seenMs: clock.nowMs() }, digest)
    if (!second) return
    const [one, other] = pool.of(epoch).filter((seen) => seen.validator === validator)
    if (one === undefined || other === undefined) return
    book.addDoubleAttestation({ validator, epoch, first: signedPartOf(one), second: signedPartOf(other) })
    onOffence('double-attestation')
    log.warn('a validator attested twice', { validator, epoch })
  }

  #verdictOf({ verdict, reason }: NotAccepted): GossipVerdict {
    if (reason !== 'rate-limited') return verdict === 'ignore' && DEFERRED.has(reason) ? 'defer' : verdict
    const nowMs = this.#deps.clock.monotonicMs()
    // A lagging node receives messages that are too early for it, which its peers cannot know.
    const isPeersFault = nowMs - this.#acceptedMs <= EPOCH_PROVEN_FOR_MS && nowMs - this.#unansweredMs > UNANSWERED_FOR_MS
    return isPeersFault ? 'excess' : 'defer'
  }

  #count(judgement: AttestationJudgement): void {
    this.#judged.inc(1, { verdict: judgement.verdict, reason: judgement.verdict === 'accept' ? 'valid' : judgement.reason })
  }
}

export function signedPartOf({ attestation, signature }: SignedAttestation): SignedAttestation {
  return { attestation, signature }
}
