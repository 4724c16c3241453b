/**
 * Who signs for a validator. What duties are done with is a guarded signer (guarded-signer.ts); a bare one, with a key at
 * hand or at a service, is no such thing, so that nothing can be signed past slashing protection.
 */
import { type Attestation, attestationDigest, type Registration, registrationDigest, type StakingDomain } from '@keelson/contracts'
import type { Address, Bytes32, Hash } from '@keelson/primitives'

export interface AttestationToSign {
  readonly domain: StakingDomain
  /** The Staking contract's `anchor()`. */
  readonly anchor: Hash
  readonly attestation: Attestation
}

/** That this key may stand for its owner: no promise that could be broken, so slashing protection lets it pass. */
export interface RegistrationToSign {
  readonly domain: StakingDomain
  readonly registration: Registration
}

export interface AttestationSigner {
  readonly address: Address
  /** 65 bytes: r, s, v (27 or 28). Throws ValidatorError `consensus/signing-refused`, or `consensus/remote-signer` when the service did not sign. */
  sign(request: AttestationToSign): Promise<Uint8Array>
}

export interface RegistrationSigner {
  readonly address: Address
  /** As `sign`, without asking slashing protection. */
  signRegistration(request: RegistrationToSign): Promise<Uint8Array>
}

export type ValidatorSigner = AttestationSigner & RegistrationSigner

export type SigningRequest =
  | ({ readonly kind: 'attestation' } & AttestationToSign)
  | ({ readonly kind: 'registration' } & RegistrationToSign)

/** Signs whatever it is given: only for `createGuardedSigner`. */
export interface BareSigner {
  readonly address: Address
  /** 65 bytes: r, s, v (27 or 28). */
  signUnguarded(request: SigningRequest): Promise<Uint8Array>
}

export function signingRequestDigest(request: SigningRequest): Bytes32 {
  return request.kind === 'attestation'
    ? attestationDigest(request.domain, request.anchor, request.attestation)
    : registrationDigest(request.domain, request.registration)
}
