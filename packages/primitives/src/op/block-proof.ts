/**
 * The signature that a sequencer sends with a block to its conductor, made with the key that signs the chain's blocks. It
 * uses a separate domain, not that of gossip: a block is submitted before it is known to be recorded, and a gossip
 * signature of a rejected block would be a second one for a height that another sequencer signs with the same key.
 */
import { utf8ToBytes } from '../bytes.ts'
import type { PayloadEnvelope } from '../engine/engine-api.ts'
import { keccak256 } from '../keccak.ts'
import { type BlockSigningRequest, encodeSignedPart } from './block-message.ts'

const DOMAIN = keccak256(utf8ToBytes('keelson conductor: a sealed block to be recorded'))

/** Returns the signing request for a block. Throws CodecError `codec/payload` when the block cannot be encoded. */
export function blockProofRequest(chainId: bigint, envelope: PayloadEnvelope): BlockSigningRequest {
  return { domain: DOMAIN, chainId, payloadHash: keccak256(encodeSignedPart(envelope)) }
}
