import { createECDH, ECDH, randomBytes } from 'node:crypto'
import { type Address, type Bytes32, keccak256, toAddress } from '@keelson/primitives'
import { keyError } from './key-file-error.ts'

const CURVE = 'secp256k1'
export const PRIVATE_KEY_BYTES = 32

export function createPrivateKey(): Bytes32 {
  for (;;) {
    const key = new Uint8Array(randomBytes(PRIVATE_KEY_BYTES))
    if (isPrivateKey(key)) return key
  }
}

export function isPrivateKey(key: Uint8Array): boolean {
  try {
    createECDH(CURVE).setPrivateKey(key)
    return key.length === PRIVATE_KEY_BYTES
  } catch {
    return false
  }
}

/** Returns the compressed key. Throws ValidatorError `consensus/validator-key`. */
export function publicKeyOf(privateKey: Bytes32): Uint8Array {
  if (!isPrivateKey(privateKey)) throw keyError('this is no secp256k1 private key: expected 32 bytes from 1 to the order of the curve')
  const ecdh = createECDH(CURVE)
  ecdh.setPrivateKey(privateKey)
  return new Uint8Array(ecdh.getPublicKey(null, 'compressed'))
}

export function addressOfPublicKey(publicKey: Uint8Array): Address | null {
  try {
    const point = ECDH.convertKey(publicKey, CURVE, undefined, undefined, 'uncompressed') as Buffer
    return toAddress(keccak256(new Uint8Array(point).subarray(1)).subarray(12))
  } catch {
    return null
  }
}
