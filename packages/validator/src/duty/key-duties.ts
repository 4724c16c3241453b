import type { Attestation } from '@keelson/contracts'
import { type Address, messageOf } from '@keelson/primitives'
import { ValidatorError } from '../errors.ts'
import type { AttestationSigner } from '../signer.ts'
import type { KeyPosition, StakingPositions, StakingTerms } from '../staking/staking-chain.ts'
import type { AttestationSending } from './attestation-sending.ts'
import { decideDuty, type EpochPlace } from './decide-duty.ts'
import type { DutyLoopDependencies, HeldAttestation, KeyStatus } from './duty-ports.ts'
import type { Checkpoint } from './final-checkpoint.ts'
import { slashedError } from './own-keys-watch.ts'

export interface DutyView {
  readonly head: number
  readonly place: EpochPlace
  readonly positions: StakingPositions
  readonly terms: StakingTerms
  readonly firstBlock: number
  readonly choose: () => Promise<Checkpoint>
}

type Dependencies = Pick<DutyLoopDependencies, 'chain' | 'gossip' | 'protection' | 'log'> & {
  readonly chainId: bigint
  readonly sending: AttestationSending
}

/** Never signs a second attestation for a key and epoch. */
export class KeyDuties {
  readonly #deps: Dependencies
  readonly #signers: ReadonlyMap<Address, AttestationSigner>
  readonly #held = new Map<Address, HeldAttestation>()
  readonly #refusals = new Map<Address, { readonly epoch: number; readonly reason: string }>()

  constructor(signers: readonly AttestationSigner[], deps: Dependencies) {
    this.#signers = new Map(signers.map((signer) => [signer.address, signer]))
    this.#deps = deps
  }

  /** Throws ValidatorError `consensus/slashed`. */
  async perform(position: KeyPosition, view: DutyView): Promise<KeyStatus> {
    const { key } = position
    const { place, head, terms, firstBlock } = view
    const latest = this.#held.get(key)
    const held = latest?.epoch === place.epoch ? latest : undefined
    const decision = decideDuty({
      position,
      place,
      head,
      retentionStakeWei: terms.retentionStakeWei,
      firstBlock,
      signed: held !== undefined,
      // A transaction mined above this step's head is still under way.
      sending: this.#deps.sending.isUnderWay(key, place.epoch) || (held?.minedIn ?? 0) > head,
    })
    if (held !== undefined && decision.kind !== 'too-late') await this.#publish(key, held)
    switch (decision.kind) {
      case 'slashed':
        throw slashedError(`validator ${key} was slashed`, key)
      case 'attested':
      case 'under-way':
        return { key, state: decision.kind, reason: null }
      case 'inactive':
      case 'listening':
      case 'too-late':
        return { key, state: decision.kind, reason: decision.reason }
      case 'send':
        return this.#send(key, held as HeldAttestation)
      case 'sign': {
        const refused = this.#refusals.get(key)
        if (refused?.epoch === place.epoch) return { key, state: 'refused', reason: refused.reason }
        const chosen = await view.choose()
        if ('state' in chosen) return { key, state: chosen.state, reason: chosen.reason }
        return this.#signAndSend(this.#signers.get(key) as AttestationSigner, view.positions, chosen)
      }
    }
  }

  async #signAndSend(signer: AttestationSigner, positions: StakingPositions, chosen: Attestation): Promise<KeyStatus> {
    const { protection, log } = this.#deps
    const key = signer.address
    try {
      const attestation = await this.#sign(signer, positions, chosen)
      this.#held.set(key, attestation)
      await this.#publish(key, attestation)
      return await this.#send(key, attestation)
    } catch (error) {
      const stop = protection.stopped()
      if (stop !== null) throw slashedError(stop.reason, stop.key)
      const reason = messageOf(error)
      if (!(error instanceof ValidatorError) || error.code !== 'consensus/signing-refused') return { key, state: 'waiting', reason }
      this.#refusals.set(key, { epoch: chosen.epoch, reason })
      log.error('slashing protection refuses to sign', { key, epoch: chosen.epoch, reason })
      return { key, state: 'refused', reason }
    }
  }

  /** Signs the recorded attestation if there is one, so that a restart never signs another. */
  async #sign(signer: AttestationSigner, { anchor }: StakingPositions, chosen: Attestation): Promise<HeldAttestation> {
    const { chainId, chain, protection, log } = this.#deps
    const recorded = await protection.recordedAttestation(signer.address, chosen.epoch)
    const request = recorded ?? { domain: { chainId, contract: chain.contract }, anchor, attestation: chosen }
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

  async #publish(key: Address, attestation: HeldAttestation): Promise<void> {
    if (attestation.published) return
    try {
      await this.#deps.gossip.publishAttestation(attestation.signed)
      attestation.published = true
    } catch (error) {
      this.#deps.log.debug('the attestation is not on gossip yet', { key, epoch: attestation.epoch, error })
    }
  }

  /** If the attested block is gone, the epoch is lost, because no other attestation is signed. */
  async #send(key: Address, attestation: HeldAttestation): Promise<KeyStatus> {
    const { checkpointNumber, checkpointHash } = attestation.signed.attestation
    if ((await this.#deps.chain.blockHash(checkpointNumber)) === checkpointHash)
      return { key, ...this.#deps.sending.send(key, attestation) }
    const reason = `final block ${checkpointNumber}, which was attested to, is gone: nothing else is signed for this epoch`
    return { key, state: 'refused', reason }
  }
}
