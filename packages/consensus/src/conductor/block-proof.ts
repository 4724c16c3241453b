/**
 * The signature that a candidate sends with a block it wants recorded, made with the key that signs the chain's
 * blocks. It is made in a domain of its own and not in gossip's: a block is offered before anyone knows whether it
 * will be recorded, and a gossip signature of a refused block would be a second one for a place that another
 * sequencer, with the same key, signs for.
 */
import { type Address, type Crypto, hexToBytes, isHex, keccak256, type PayloadEnvelope, toAddress, utf8ToBytes } from '@keelson/primitives'
import { encodeSignedPart, recoverRequestSigner, SIGNATURE_BYTES } from '../p2p/gossip/block-message.ts'
import type { BlockSigningRequest } from '../ports.ts'

const DOMAIN = keccak256(utf8ToBytes('keelson conductor: a sealed block to be recorded'))

/** What is signed for a block. Throws CodecError `codec/payload` when the block cannot be encoded. */
export function blockProofRequest(chainId: bigint, envelope: PayloadEnvelope): BlockSigningRequest {
  return { domain: DOMAIN, chainId, payloadHash: keccak256(encodeSignedPart(envelope)) }
}

/** Why a block with this signature must not be recorded, null when the chain's sequencer key has signed it. */
export type BlockProofCheck = (envelope: PayloadEnvelope, signature: unknown) => string | null

export interface BlockProofOptions {
  readonly chainId: bigint
  /** The key that signs the chain's blocks as L1 has it; null while L1 has not answered. */
  readonly signer: () => Address | null
  readonly crypto: Crypto
}

export function createBlockProofCheck({ chainId, signer, crypto }: BlockProofOptions): BlockProofCheck {
  return (envelope, signature) => {
    if (signature === undefined || signature === null)
      return 'the block carries no signature: the sequencer needs --p2p.signer-key or --p2p.signer.endpoint'
    if (!isHex(signature, SIGNATURE_BYTES)) return `the block's signature must be ${SIGNATURE_BYTES} bytes of hex`
    const expected = signer()
    if (expected === null) return 'which key signs the blocks of this chain is not known until L1 answers'
    const recovered = recoverRequestSigner(crypto, blockProofRequest(chainId, envelope), hexToBytes(signature))
    const actual = recovered === null ? null : toAddress(recovered)
    return actual === expected ? null : `the block is signed by ${actual ?? 'nobody'}, the SystemConfig on L1 names ${expected}`
  }
}
