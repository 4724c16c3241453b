/** Signed blocks of the last places: another block of the same key at one of them is double signing, and both are evidence. */

import type { DoubleBlock, SignedBlock } from '@keelson/contracts'
import type { BlockPlace } from '../../blocks/block-place.ts'
import { blockPlaceOf } from '../../blocks/block-place.ts'
import type { GossipedBlock } from '../../ports.ts'

export interface BlockEvidence {
  /** The pair when there was another block of the same key at this place. */
  note(block: GossipedBlock): DoubleBlock | null
}

/** What a transaction can carry (128 KiB), less the rest of the call. */
const MAX_REPORTABLE_BYTES = 128 * 1024 - 1024
const KEPT_PLACES = 256
const KEPT_BYTES = 16 * 1024 * 1024

export function createBlockEvidence(): BlockEvidence {
  const places = new Map<string, SignedBlock>()
  let bytes = 0
  const nameOf = (signer: string, { number, parentHash, sourceHash }: BlockPlace) => `${signer} ${number} ${parentHash} ${sourceHash}`
  return {
    note({ envelope, signer, signedPart, signature }) {
      // versions before 3 have no beacon root, and the contract does not read them
      if (envelope.parentBeaconBlockRoot === null || signedPart.length > MAX_REPORTABLE_BYTES) return null
      const place = blockPlaceOf(envelope)
      if (place === null) return null
      const name = nameOf(signer, place)
      const block: SignedBlock = { blockHash: envelope.payload.blockHash, signedPart, signature }
      const first = places.get(name)
      if (first !== undefined) return first.blockHash === block.blockHash ? null : { blockKey: signer, ...place, first, second: block }
      places.set(name, block)
      bytes += signedPart.length
      while (places.size > KEPT_PLACES || bytes > KEPT_BYTES) {
        const [oldest, dropped] = places.entries().next().value as [string, SignedBlock]
        places.delete(oldest)
        bytes -= dropped.signedPart.length
      }
      return null
    },
  }
}
