import { type Attestation, attestationDigest, type Registration, registrationDigest, type StakingDomain } from '@keelson/contracts'
import type { Address, Bytes32, Hash } from '@keelson/primitives'

export interface AttestationToSign {
  readonly domain: StakingDomain
  readonly anchor: Hash
  readonly attestation: Attestation
}

/** A registration lets the key attest for its owner. It contradicts no other signature, so slashing protection ignores it. */
export interface RegistrationToSign {
  readonly domain: StakingDomain
  readonly registration: Registration
}

export interface AttestationSigner {
  readonly address: Address
  /** Returns 65 bytes: r, s, v (27 or 28). Throws ValidatorError `consensus/signing-refused` or `consensus/remote-signer`. */
  sign(request: AttestationToSign): Promise<Uint8Array>
}

export interface RegistrationSigner {
  readonly address: Address
  signRegistration(request: RegistrationToSign): Promise<Uint8Array>
}

export type ValidatorSigner = AttestationSigner & RegistrationSigner

export type SigningRequest =
  | ({ readonly kind: 'attestation' } & AttestationToSign)
  | ({ readonly kind: 'registration' } & RegistrationToSign)

/** Signs without checks; only for `createGuardedSigner`. */
export interface BareSigner {
  readonly address: Address
  signUnguarded(request: SigningRequest): Promise<Uint8Array>
}

export function signingRequestDigest(request: SigningRequest): Bytes32 {
  return request.kind === 'attestation'
    ? attestationDigest(request.domain, request.anchor, request.attestation)
    : registrationDigest(request.domain, request.registration)
}
