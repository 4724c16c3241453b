/**
 * The sequencer signs blocks for its conductor in a domain of their own: the conductor may reject the block, and another
 * sequencer may sign a block of this height with the same key; in the gossip domain that would be two valid signatures.
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
