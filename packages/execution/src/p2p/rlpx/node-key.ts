import { createECDH } from 'node:crypto'
import { concatBytes } from '@keelson/primitives'

const UNCOMPRESSED = Uint8Array.of(4)

export interface NodeKey {
  readonly privateKey: Uint8Array
  /** 64 bytes. */
  readonly publicKey: Uint8Array
  /** X coordinate, 32 bytes. Throws for 64 bytes that are no point of the curve. */
  sharedSecret(publicKey: Uint8Array): Uint8Array
}

/** Throws for 32 bytes that are no secp256k1 key. */
export function openNodeKey(privateKey: Uint8Array): NodeKey {
  const ecdh = createECDH('secp256k1')
  ecdh.setPrivateKey(privateKey)
  return {
    privateKey,
    publicKey: new Uint8Array(ecdh.getPublicKey().subarray(1)),
    sharedSecret: (publicKey) => new Uint8Array(ecdh.computeSecret(concatBytes(UNCOMPRESSED, publicKey))),
  }
}
