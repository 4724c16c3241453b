import {
  type Address,
  blockSigningRequest,
  concatBytes,
  encodeSignedPart,
  type PayloadEnvelope,
  type PayloadVersion,
  payloadVersion,
} from '@keelson/primitives'
import { snappyCompress } from '@keelson/runtime/snappy'
import { ConsensusError, messageOf } from '../../errors.ts'
import type { BlockSigner, GossipedBlock } from '../../ports.ts'
import { MAX_GOSSIP_BYTES } from './snappy-block.ts'

export interface EncodedBlock {
  readonly version: PayloadVersion
  readonly message: Uint8Array
  readonly signed: Omit<GossipedBlock, 'signer'>
}

/** Throws ConsensusError `consensus/gossip-publish`. */
export async function encodeBlockMessage(chainId: bigint, signer: BlockSigner | null, envelope: PayloadEnvelope): Promise<EncodedBlock> {
  const { blockNumber } = envelope.payload
  if (signer === null) throw failure(`block ${blockNumber} cannot be gossiped: no key to sign with is configured`)
  const signedPart = encodeSignedPart(envelope)
  const signature = await signer.sign(blockSigningRequest(chainId, signedPart)).catch((cause: unknown) => {
    throw failure(`block ${blockNumber} could not be signed: ${messageOf(cause)}`, cause)
  })
  const plain = concatBytes(signature, signedPart)
  if (plain.length > MAX_GOSSIP_BYTES)
    throw failure(`block ${blockNumber} has ${plain.length} bytes, gossip carries at most ${MAX_GOSSIP_BYTES}`)
  return { version: payloadVersion(envelope.payload), message: snappyCompress(plain), signed: { envelope, signedPart, signature } }
}

export function ownBlock({ signed }: EncodedBlock, signer: (BlockSigner & { readonly address?: Address }) | null): GossipedBlock | null {
  return signer?.address === undefined ? null : { ...signed, signer: signer.address }
}

function failure(message: string, cause?: unknown): ConsensusError {
  return new ConsensusError('consensus/gossip-publish', 'temporary', message, {}, { cause })
}
