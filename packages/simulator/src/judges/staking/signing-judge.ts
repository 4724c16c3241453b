/**
 * The key of an honest validator signs one attestation for an epoch, however often its process starts, and only when the attestation is
 * on disk.
 */
import { type Attestation, attestationDigest } from '@keelson/contracts'
import { type Address, bytesToHex } from '@keelson/primitives'
import type { AttestationToSign, BareSigner } from '@keelson/validator'
import type { ReportViolation } from '../violation.ts'

export class SigningJudge {
  /** By key and epoch: the digests that were signed, each with its attestation. */
  readonly #signed = new Map<string, Map<string, Attestation>>()
  readonly #judged = new Set<string>()
  readonly #suspects = new Set<Address>()
  #unrecorded: string[] = []

  /** The same signer, whose signatures are remembered here. `isOnDisk` says whether a loss of power leaves the record of an attestation. */
  watch(signer: BareSigner, isOnDisk: (request: AttestationToSign) => Promise<boolean>): BareSigner {
    return {
      address: signer.address,
      signUnguarded: async (request) => {
        if (request.kind === 'attestation' && !this.#suspects.has(signer.address) && !(await isOnDisk(request))) {
          this.#unrecorded.push(`${signer.address} in epoch ${request.attestation.epoch}`)
        }
        const signature = await signer.signUnguarded(request)
        if (request.kind === 'attestation') {
          const digest = bytesToHex(attestationDigest(request.domain, request.anchor, request.attestation))
          this.note(signer.address, request.attestation, digest)
        }
        return signature
      },
    }
  }

  /** From now on the key may sign twice. */
  suspect(key: Address): void {
    this.#suspects.add(key)
  }

  note(key: Address, attestation: Attestation, digest: string): void {
    const place = `${key} ${attestation.epoch}`
    const digests = this.#signed.get(place) ?? new Map<string, Attestation>()
    digests.set(digest, attestation)
    this.#signed.set(place, digests)
    if (this.#suspects.has(key)) this.#judged.add(place)
  }

  look(report: ReportViolation): void {
    for (const text of this.#unrecorded) report('an attestation is on disk before it is signed', text)
    this.#unrecorded = []
    for (const [place, digests] of this.#signed) {
      if (digests.size < 2 || this.#judged.has(place)) continue
      this.#judged.add(place)
      const [key, epoch] = place.split(' ')
      const blocks = [...digests.values()].map(({ checkpointNumber, checkpointHash }) => `${checkpointNumber} ${checkpointHash}`)
      report('an honest key signs once in an epoch', `${key} in epoch ${epoch}: blocks ${blocks.join(' and ')}`)
    }
  }
}
