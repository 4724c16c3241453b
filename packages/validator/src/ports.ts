import type { Offences, SeenAttestation, SignedAttestation } from '@keelson/contracts'

export interface AttestationGossip {
  /** Resolves to `known` when it was seen before. Rejects with the reason when peers would not accept it. */
  publishAttestation(signed: SignedAttestation): Promise<'accepted' | 'known'>
  /** Lists a validator twice when it attested twice. */
  attestations(epoch: number): Promise<readonly SeenAttestation[]>
  offences(): Promise<Offences>
}
