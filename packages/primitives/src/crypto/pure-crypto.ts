/** Crypto without native code, about 50 times slower. */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bigintToBytes, bytesToBigint, concatBytes } from '../bytes.ts'
import type { Bytes20 } from '../hex.ts'
import { keccak256 } from '../keccak.ts'
import type { Crypto } from './crypto.ts'

/** The uncompressed key has 65 bytes, the first of which is 4. */
export function publicKeyToAddress(uncompressed: Uint8Array): Bytes20 {
  return keccak256(uncompressed.subarray(1)).subarray(12)
}

export function createPureCrypto(): Crypto {
  const recoverKey: Crypto['recoverKey'] = (digest, signature) => {
    try {
      const bytes = concatBytes(Uint8Array.of(signature.yParity), bigintToBytes(signature.r, 32), bigintToBytes(signature.s, 32))
      const compressed = secp256k1.recoverPublicKey(bytes, digest, { prehash: false })
      return secp256k1.Point.fromBytes(compressed).toBytes(false)
    } catch {
      // noble throws for r or s out of range and for points off the curve.
      return null
    }
  }
  return {
    name: 'pure JavaScript (noble)',
    recover(digest, signature) {
      const key = recoverKey(digest, signature)
      return key === null ? null : publicKeyToAddress(key)
    },
    recoverKey,
    sign(digest, privateKey) {
      const bytes = secp256k1.sign(digest, privateKey, { prehash: false, format: 'recovered' })
      return {
        yParity: bytes[0] as 0 | 1,
        r: bytesToBigint(bytes.subarray(1, 33)),
        s: bytesToBigint(bytes.subarray(33, 65)),
      }
    },
    addressOf: (privateKey) => publicKeyToAddress(secp256k1.getPublicKey(privateKey, false)),
    sha256: (data) => sha256(data),
  }
}
