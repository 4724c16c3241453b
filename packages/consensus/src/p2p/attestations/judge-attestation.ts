/**
 * Judges one attestation, cheap rules first, and says which rule failed. Rejected, and so held against the peer, is only
 * what is wrong on every chain and at every time, or whose epoch's validators are settled; what depends on where this
 * node stands is ignored.
 */
import { attestationDigest, decodeStakingSignature, type SignedAttestation, type StakingDomain } from '@keelson/contracts'
import { type Address, type Bytes32, type Clock, type Crypto, toAddress, ZERO_HASH } from '@keelson/primitives'
import { createPeerBudget } from '../peers/peer-budget.ts'
import { type AttestationMessageMistake, decodeAttestationMessage } from './attestation-message.ts'
import type { AttestationPool } from './attestation-pool.ts'
import { createEpochWait, type EpochWait } from './epoch-wait.ts'
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
      readonly validator: Address
      readonly digest: Bytes32
      /** Of two different ones for its epoch. */
      readonly second: boolean
    }
  | { readonly verdict: 'ignore'; readonly reason: AttestationDisregard }
  | { readonly verdict: 'reject'; readonly reason: AttestationRejection }

export interface JudgeAttestationDependencies {
  readonly domain: StakingDomain
  readonly view: StakingView
  readonly pool: AttestationPool
  /** Null while they are not known. */
  readonly heads: () => { readonly unsafe: number; readonly safe: number } | null
  readonly crypto: Crypto
  readonly clock: Clock
  /** How long an attestation of the epoch to come may wait for its first block. */
  readonly patienceMs: number
}

export interface AttestationJudge {
  judgeMessage(message: Uint8Array, from: string, signal: AbortSignal): Promise<AttestationJudgement>
  /** One of this node's own validators. */
  judge(signed: SignedAttestation, signal: AbortSignal): Promise<AttestationJudgement>
}

/** Signers whom the execution client does not know to be active: a peer on the same chain brings none. */
const STRANGERS_OF_ONE_PEER = { perSec: 2, burst: 64 }
/** No peer has this name. */
const SELF = ''
/** Half the curve's order: one of two signatures for the same word has s below it, and nobody makes the other. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

export function createAttestationJudge(deps: JudgeAttestationDependencies): AttestationJudge {
  const { domain, view, pool, heads, crypto, clock } = deps
  const strangers = createPeerBudget(STRANGERS_OF_ONE_PEER, clock)
  const epochWait: EpochWait = createEpochWait(clock, deps.patienceMs, (epoch) => (epochsSince(epoch) ?? -1) >= 0)
  const ignore = (reason: AttestationDisregard): AttestationJudgement => ({ verdict: 'ignore', reason })
  const reject = (reason: AttestationRejection): AttestationJudgement => ({ verdict: 'reject', reason })

  /** How far the local chain is from the epoch: 0 in it, 1 when it is the one before, -1 when it is the next one. Null when that is not known. */
  function epochsSince(epoch: number): number | null {
    const at = heads()
    if (at === null || view.facts === null) return null
    return Math.floor(at.unsafe / view.facts.epochBlocks) - epoch
  }

  async function judge(signed: SignedAttestation, from: string, signal: AbortSignal): Promise<AttestationJudgement> {
    const { attestation } = signed
    const signature = decodeStakingSignature(signed.signature)
    if (signature === null || signature.s > HALF_ORDER) return reject('signature-invalid')
    if (view.facts === null || view.facts.anchor === ZERO_HASH) return ignore('off')
    const since = epochsSince(attestation.epoch)
    if (since === null) return ignore('head-unknown')
    if (since > 1) return ignore('epoch-over')
    if (since < -1) return ignore('epoch-to-come')
    const { anchor, epochBlocks } = view.facts
    const digest = attestationDigest(domain, anchor, attestation)
    const recovered = crypto.recover(digest, signature)
    if (recovered === null) return reject('signature-invalid')
    const validator = toAddress(recovered)
    const look = () => pool.look(validator, attestation.epoch, digest)
    if (look() === 'known') return ignore('already-seen')
    if (look() === 'enough') return ignore('enough-seen')
    if (since === -1) {
      const waited = await epochWait.wait(attestation.epoch, from, signal)
      if (waited !== 'begun') return ignore(waited)
    }
    if (from !== SELF && strangers.isSpent(from) && !view.isAsked(validator, attestation.epoch)) return ignore('too-many-strangers')
    const weight = await view.weightOf(validator, attestation.epoch, from)
    if (weight === null) return ignore('weight-unknown')
    if (weight === 0n) {
      // who is active is fixed by the blocks before the epoch: where those can still change, peers may know better
      const settled = attestation.epoch * epochBlocks <= (heads()?.safe ?? -1)
      if (settled) return reject('not-active')
      strangers.spend(from)
      return ignore('maybe-not-active')
    }
    // another copy may have come while this one was looked into
    const now = look()
    if (now === 'known') return ignore('already-seen')
    if (now === 'enough') return ignore('enough-seen')
    return { verdict: 'accept', signed, validator, digest, second: now === 'second' }
  }

  return {
    judge: (signed, signal) => judge(signed, SELF, signal),
    async judgeMessage(message, from, signal) {
      const decoded = decodeAttestationMessage(message)
      return typeof decoded === 'string' ? reject(decoded) : judge(decoded, from, signal)
    },
  }
}
