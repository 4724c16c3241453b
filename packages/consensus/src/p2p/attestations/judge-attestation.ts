/**
 * Validates an attestation, cheapest rules first. Rejection counts against the peer, so it is used only for what is invalid on
 * every chain, or in an epoch whose active set can no longer change.
 */
import { type Attestation, attestationDigest, type SignedAttestation, type StakingDomain } from '@keelson/contracts'
import { type Address, type Bytes32, type Clock, type Crypto, toAddress, ZERO_HASH } from '@keelson/primitives'
import { createPeerBudget } from '../peers/peer-budget.ts'
import { type AttestationMessageMistake, decodeAttestationMessage } from './attestation-message.ts'
import type { AttestationPool } from './attestation-pool.ts'
import { type CanonicalSignature, canonicalSignature } from './canonical-signature.ts'
import { createEpochWait, type EpochWait } from './epoch-wait.ts'
import { createPeerWork } from './peer-work.ts'
import type { StakingView } from './staking-view.ts'

export type AttestationRejection = AttestationMessageMistake | 'signature-invalid' | 'not-active'
export type AttestationDisregard =
  | 'off'
  | 'head-unknown'
  | 'epoch-over'
  | 'epoch-to-come'
  | 'already-seen'
  | 'enough-seen'
  | 'weight-unknown'
  | 'maybe-not-active'
  | 'too-many-waiting'
  | 'too-many-strangers'
  | 'rate-limited'

export type AttestationJudgement =
  | {
      readonly verdict: 'accept'
      readonly signed: SignedAttestation
      readonly canonical: boolean
      readonly validator: Address
      readonly digest: Bytes32
      /** True if the validator signed a different attestation for this epoch before. */
      readonly second: boolean
    }
  | { readonly verdict: 'ignore'; readonly reason: AttestationDisregard }
  | { readonly verdict: 'reject'; readonly reason: AttestationRejection }

export interface JudgeAttestationDependencies {
  readonly domain: StakingDomain
  readonly view: StakingView
  readonly pool: AttestationPool
  readonly heads: () => { readonly unsafe: number; readonly safe: number } | null
  readonly crypto: Crypto
  readonly clock: Clock
  readonly patienceMs: number
}

export interface AttestationJudge {
  judgeMessage(message: Uint8Array, from: string, signal: AbortSignal): Promise<AttestationJudgement>
  judge(signed: SignedAttestation, signal: AbortSignal): Promise<AttestationJudgement>
}

/** Rate of signers that are not active; a peer on the same chain sends none. */
const STRANGERS_OF_ONE_PEER = { perSec: 2, burst: 64 }
const SELF = ''

interface Candidate {
  readonly attestation: Attestation
  readonly signature: CanonicalSignature
}

export function createAttestationJudge(deps: JudgeAttestationDependencies): AttestationJudge {
  const { domain, view, pool, heads, crypto, clock } = deps
  const strangers = createPeerBudget(STRANGERS_OF_ONE_PEER, clock)
  const work = createPeerWork<AttestationJudgement>(clock, ({ verdict }) => verdict === 'accept')
  const epochWait: EpochWait = createEpochWait(clock, deps.patienceMs, (epoch) => (epochsSince(epoch) ?? -1) >= 0)
  const ignore = (reason: AttestationDisregard): AttestationJudgement => ({ verdict: 'ignore', reason })
  const reject = (reason: AttestationRejection): AttestationJudgement => ({ verdict: 'reject', reason })

  /** Local chain's epoch minus `epoch`: -1 for the next epoch. Null when unknown. */
  function epochsSince(epoch: number): number | null {
    const at = heads()
    if (at === null || view.facts === null) return null
    return Math.floor(at.unsafe / view.facts.epochBlocks) - epoch
  }

  function screen({ attestation, signature: given }: SignedAttestation): AttestationJudgement | Candidate {
    const signature = canonicalSignature(given)
    if (signature === null) return reject('signature-invalid')
    if (view.facts === null || view.facts.anchor === ZERO_HASH) return ignore('off')
    const since = epochsSince(attestation.epoch)
    if (since === null) return ignore('head-unknown')
    if (since > 1) return ignore('epoch-over')
    if (since < -1) return ignore('epoch-to-come')
    return { attestation, signature }
  }

  async function waitForEpoch({ epoch }: Attestation, from: string, signal: AbortSignal): Promise<AttestationJudgement | null> {
    if (epochsSince(epoch) !== -1) return null
    const waited = await epochWait.wait(epoch, from, signal)
    return waited === 'begun' ? null : ignore(waited)
  }

  async function identify({ attestation, signature }: Candidate, from: string): Promise<AttestationJudgement> {
    if (view.facts === null) return ignore('off')
    const { anchor, epochBlocks } = view.facts
    const digest = attestationDigest(domain, anchor, attestation)
    const recovered = crypto.recover(digest, signature.signature)
    if (recovered === null) return reject('signature-invalid')
    const validator = toAddress(recovered)
    const look = () => pool.look(validator, attestation.epoch, digest)
    if (look() === 'known') return ignore('already-seen')
    if (look() === 'enough') return ignore('enough-seen')
    const isAsked = from === SELF || view.isAsked(validator, attestation.epoch)
    const charge = isAsked ? null : strangers.reserve(from)
    if (!isAsked && charge === null) return ignore('too-many-strangers')
    const weight = await view.weightOf(validator, attestation.epoch, from)
    if (weight !== 0n) charge?.refund()
    if (weight === null) return ignore('weight-unknown')
    if (weight === 0n) {
      // The blocks before the epoch determine its active set; until they are safe, the peer may be right.
      const settled = attestation.epoch * epochBlocks <= (heads()?.safe ?? -1)
      return settled ? reject('not-active') : ignore('maybe-not-active')
    }
    const now = look()
    if (now === 'known') return ignore('already-seen')
    if (now === 'enough') return ignore('enough-seen')
    const signed = { attestation, signature: signature.bytes }
    return { verdict: 'accept', signed, canonical: signature.given, validator, digest, second: now === 'second' }
  }

  return {
    async judge(signed, signal) {
      const screened = screen(signed)
      if ('verdict' in screened) return screened
      return (await waitForEpoch(screened.attestation, SELF, signal)) ?? identify(screened, SELF)
    },
    async judgeMessage(message, from, signal) {
      if (work.isSpent(from)) return ignore('rate-limited')
      const decoded = decodeAttestationMessage(message)
      const screened = typeof decoded === 'string' ? reject(decoded) : screen(decoded)
      const refused = 'verdict' in screened ? screened : await waitForEpoch(screened.attestation, from, signal)
      if (refused !== null) {
        work.spend(from)
        return refused
      }
      const judgement = await work.run(from, () => identify(screened as Candidate, from))
      return typeof judgement === 'string' ? ignore(judgement) : judgement
    },
  }
}
