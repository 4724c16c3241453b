import type { Offences, SeenAttestation, SignedAttestation } from '@keelson/contracts'

/** The attestations of a consensus client: what it saw in gossip, and what it sends there. */
export interface AttestationGossip {
  /** Resolves to `known` when it was seen before. Rejects with the reason when peers would not accept it. */
  publishAttestation(signed: SignedAttestation): Promise<'accepted' | 'known'>
  /** Attestations seen for an epoch; a validator appears twice when it attested twice. */
  attestations(epoch: number): Promise<readonly SeenAttestation[]>
  offences(): Promise<Offences>
}
