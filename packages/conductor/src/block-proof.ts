import {
  type Address,
  blockProofRequest,
  type Crypto,
  hexToBytes,
  isHex,
  type PayloadEnvelope,
  recoverRequestSigner,
  SIGNATURE_BYTES,
  toAddress,
} from '@keelson/primitives'

/** Returns why a block must not be recorded, null when the chain's sequencer key signed it. */
export type BlockProofCheck = (envelope: PayloadEnvelope, signature: unknown) => string | null

export interface BlockProofOptions {
  readonly chainId: bigint
  /** The chain's block signing key, null until L1 answers. */
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
