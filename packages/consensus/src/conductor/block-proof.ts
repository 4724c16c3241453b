/**
 * The signature that a candidate sends with a block to be recorded, made with the key that signs the chain's blocks. It
 * uses a separate domain, not that of gossip: a block is submitted before it is known to be recorded, and a gossip
 * signature of a rejected block would be a second one for a height that another sequencer signs with the same key.
 */
import { type Address, type Crypto, hexToBytes, isHex, keccak256, type PayloadEnvelope, toAddress, utf8ToBytes } from '@keelson/primitives'
import { encodeSignedPart, recoverRequestSigner, SIGNATURE_BYTES } from '../p2p/gossip/block-message.ts'
import type { BlockSigningRequest } from '../ports.ts'

const DOMAIN = keccak256(utf8ToBytes('keelson conductor: a sealed block to be recorded'))

/** Returns the signing request for a block. Throws CodecError `codec/payload` when the block cannot be encoded. */
export function blockProofRequest(chainId: bigint, envelope: PayloadEnvelope): BlockSigningRequest {
  return { domain: DOMAIN, chainId, payloadHash: keccak256(encodeSignedPart(envelope)) }
}

/** Returns why a block with this signature must not be recorded, null when the chain's sequencer key signed it. */
export type BlockProofCheck = (envelope: PayloadEnvelope, signature: unknown) => string | null

export interface BlockProofOptions {
  readonly chainId: bigint
  /** The key that signs the chain's blocks, read from L1; null until L1 answers. */
  readonly signer: () => Address | null
  readonly crypto: Crypto
}

export function createBlockProofCheck({ chainId, signer, crypto }: BlockProofOptions): BlockProofCheck {
  return (envelope, signature) => {
    if (signature === undefined || signature === null)
      return 'the block carries no signature: the sequencer needs --p2p.signer-key or --p2p.signer.endpoint'
    if (!isHex(signature, SIGNATURE_BYTES)) return `the block's signature must be ${SIGNATURE_BYTES} bytes of hex`
    const expected = signer()
    if (expected === null) return 'the sequencer key of this chain is unknown until L1 answers'
    const recovered = recoverRequestSigner(crypto, blockProofRequest(chainId, envelope), hexToBytes(signature))
    const actual = recovered === null ? null : toAddress(recovered)
    return actual === expected ? null : `the block is signed by ${actual ?? 'nobody'}, the SystemConfig on L1 names ${expected}`
  }
}
