import { OWN_CONTRACTS } from '@keelson/contracts'
import { type Address, bigintToBytes, createPureCrypto, type Hash, keccak256Hash, toAddress } from '@keelson/primitives'
import type { AttestationToSign } from './signer.ts'

export const crypto = createPureCrypto()

export const hashOf = (n: number): Hash => keccak256Hash(bigintToBytes(BigInt(n), 8))

export const ANCHOR = hashOf(7)

export function attestationFor(epoch: number, choice = 0, anchor: Hash = ANCHOR): AttestationToSign {
  return {
    domain: { chainId: 901n, contract: OWN_CONTRACTS.Staking },
    anchor,
    attestation: {
      epoch,
      checkpointNumber: epoch * 15 + choice,
      checkpointHash: hashOf(1_000_000 + epoch * 100 + choice),
      l1OriginNumber: epoch,
      l1OriginHash: hashOf(2_000_000 + epoch),
    },
  }
}

export function privateKeyOf(n: number): Uint8Array {
  return bigintToBytes(BigInt(n + 1), 32)
}

export function addressOf(n: number): Address {
  return toAddress(crypto.addressOf(privateKeyOf(n)))
}
