/**
 * Signs through op-signer's `opsigner_signBlockPayload`. The request contains domain, chain and payload hash, never a bare
 * digest. The response must be the configured account's signature of them.
 */

import type { BlockSigningRequest } from '@keelson/primitives'
import { type Address, type Crypto, hexToBytes, isHex, recoverRequestSigner, SIGNATURE_BYTES, toAddress } from '@keelson/primitives'
import { ConsensusError, messageOf } from '../../errors.ts'
import type { BlockSigner } from '../../ports.ts'

export interface RemoteBlockSignerOptions {
  readonly address: Address
  readonly host: string
}

export interface RemoteBlockSignerDependencies {
  readonly call: (method: string, params: readonly unknown[]) => Promise<unknown>
  readonly crypto: Crypto
}

export interface RemoteBlockSigner extends BlockSigner {
  readonly address: Address
  /** Tests the signer with a payload hash that belongs to no block. Throws ConsensusError `consensus/block-signer`. */
  check(chainId: bigint): Promise<void>
}

export function createRemoteBlockSigner(
  { address, host }: RemoteBlockSignerOptions,
  { call, crypto }: RemoteBlockSignerDependencies,
): RemoteBlockSigner {
  function failure(message: string, cause?: unknown): ConsensusError {
    return new ConsensusError('consensus/block-signer', 'temporary', `the block signer at ${host} ${message}`, { host, address }, { cause })
  }

  async function sign(request: BlockSigningRequest): Promise<Uint8Array> {
    const answer = await call('opsigner_signBlockPayload', [requestToJson(request, address)]).catch((cause: unknown) => {
      throw failure(`does not sign: ${messageOf(cause)}; check --p2p.signer.endpoint, and that the service allows this client`, cause)
    })
    const signature = readSignature(answer)
    if (signature === null) throw failure(`answered something that is no signature of ${SIGNATURE_BYTES} bytes`)
    const signer = recoverRequestSigner(crypto, request, signature)
    const actual = signer === null ? null : toAddress(signer)
    if (actual === address) return signature
    throw failure(`signs as ${actual ?? 'nobody'}, expected ${address}; check --p2p.signer.address, and which key the service uses for it`)
  }

  return {
    address,
    sign,
    async check(chainId) {
      await sign({ domain: new Uint8Array(32), chainId, payloadHash: new Uint8Array(32) })
    },
  }
}

/** The service's Go types expect fixed-length bytes as a list, a big integer as a number, other bytes in base64. */
function requestToJson({ domain, chainId, payloadHash }: BlockSigningRequest, address: Address): Readonly<Record<string, unknown>> {
  if (chainId > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new ConsensusError('consensus/block-signer', 'critical', `chain id ${chainId} is too large for a remote block signer`)
  }
  return {
    domain: [...domain],
    chainId: Number(chainId),
    payloadHash: Buffer.from(payloadHash).toString('base64'),
    senderAddress: address,
  }
}

/** Accepts hex, or an object that contains it as `signature`; yParity may be 0, 1, 27 or 28. */
function readSignature(answer: unknown): Uint8Array | null {
  const value = typeof answer === 'object' && answer !== null && 'signature' in answer ? answer.signature : answer
  if (!isHex(value, SIGNATURE_BYTES)) return null
  const signature = hexToBytes(value)
  const v = signature[64] as number
  if (v >= 27) signature[64] = v - 27
  return signature
}
