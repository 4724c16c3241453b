import { ValidatorError } from './errors.ts'
import type { SlashingProtection } from './protection/slashing-protection.ts'
import type { BareSigner, ValidatorSigner } from './signer.ts'

export function createGuardedSigner(signer: BareSigner, protection: Pick<SlashingProtection, 'admitAttestation'>): ValidatorSigner {
  const { address } = signer
  return {
    address,
    async sign({ domain, anchor, attestation }) {
      // A copy, which the caller cannot change between admission and signing.
      const request = { domain: { ...domain }, anchor, attestation: { ...attestation } }
      const admission = await protection.admitAttestation(address, request)
      if (admission.verdict === 'refused') {
        throw new ValidatorError('consensus/signing-refused', 'critical', admission.message, {
          key: address,
          epoch: attestation.epoch,
          reason: admission.reason,
        })
      }
      return signer.signUnguarded({ kind: 'attestation', ...request })
    },
    signRegistration: ({ domain, registration }) => signer.signUnguarded({ kind: 'registration', domain, registration }),
  }
}
