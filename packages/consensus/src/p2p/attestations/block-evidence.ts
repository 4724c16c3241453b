import type { DoubleBlock, SignedBlock } from '@keelson/contracts'
import type { BlockPlace } from '../../blocks/block-place.ts'
import { blockPlaceOf } from '../../blocks/block-place.ts'
import type { GossipedBlock } from '../../ports.ts'

export interface BlockEvidence {
  /** Returns the pair when the key signed another block at this place: double signing. */
  note(block: GossipedBlock): DoubleBlock | null
}

/** A report must fit in a transaction: 128 KiB minus the rest of the call. */
const MAX_REPORTABLE_BYTES = 128 * 1024 - 1024
const KEPT_PLACES = 256
const KEPT_BYTES = 16 * 1024 * 1024

export function createBlockEvidence(): BlockEvidence {
  const places = new Map<string, SignedBlock>()
  let bytes = 0
  const nameOf = (signer: string, { number, parentHash, sourceHash }: BlockPlace) => `${signer} ${number} ${parentHash} ${sourceHash}`
  return {
    note({ envelope, signer, signedPart, signature }) {
      // The contract cannot parse payload versions below 3, which have no beacon root.
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
