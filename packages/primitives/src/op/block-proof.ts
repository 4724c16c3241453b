/**
 * The sequencer's signature on a block for its conductor. Its domain is not that of gossip: the block may be rejected, and a
 * gossip signature would be a second one for a height that another sequencer signs with the same key.
 */
import { utf8ToBytes } from '../bytes.ts'
import type { PayloadEnvelope } from '../engine/engine-api.ts'
import { keccak256 } from '../keccak.ts'
import { type BlockSigningRequest, encodeSignedPart } from './block-message.ts'

const DOMAIN = keccak256(utf8ToBytes('keelson conductor: a sealed block to be recorded'))

/** Throws CodecError `codec/payload`. */
export function blockProofRequest(chainId: bigint, envelope: PayloadEnvelope): BlockSigningRequest {
  return { domain: DOMAIN, chainId, payloadHash: keccak256(encodeSignedPart(envelope)) }
}
