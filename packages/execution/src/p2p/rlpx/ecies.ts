/** devp2p rlpx.md#ecies-encryption */
import { createCipheriv, createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { concatBytes, type Random } from '@keelson/primitives'
import { P2pError } from '../p2p-error.ts'
import { type NodeKey, openNodeKey } from './node-key.ts'

const POINT_BYTES = 65
const IV_BYTES = 16
const TAG_BYTES = 32
export const ECIES_OVERHEAD_BYTES = POINT_BYTES + IV_BYTES + TAG_BYTES

/** `authenticated` enters the tag and is not sent. */
export function seal(receiver: Uint8Array, plain: Uint8Array, authenticated: Uint8Array, random: Random): Uint8Array {
  const ephemeral = openNodeKey(random.bytes(32))
  const keys = deriveKeys(ephemeral.sharedSecret(receiver))
  const iv = random.bytes(IV_BYTES)
  const encrypted = concatBytes(iv, createCipheriv('aes-128-ctr', keys.encryption, iv).update(plain))
  return concatBytes(Uint8Array.of(4), ephemeral.publicKey, encrypted, tag(keys.mac, encrypted, authenticated))
}

/** Throws P2pError `p2p/handshake`. */
export function open(key: NodeKey, box: Uint8Array, authenticated: Uint8Array): Uint8Array {
  if (box.length < ECIES_OVERHEAD_BYTES || box[0] !== 4) throw new P2pError('p2p/handshake', 'malformed ECIES message')
  const keys = deriveKeys(sharedSecret(key, box.subarray(1, POINT_BYTES)))
  const encrypted = box.subarray(POINT_BYTES, -TAG_BYTES)
  if (!timingSafeEqual(tag(keys.mac, encrypted, authenticated), box.subarray(-TAG_BYTES)))
    throw new P2pError('p2p/handshake', 'ECIES message with a wrong tag; it was sealed for another key')
  const cipher = createDecipheriv('aes-128-ctr', keys.encryption, encrypted.subarray(0, IV_BYTES))
  return Uint8Array.from(cipher.update(encrypted.subarray(IV_BYTES)))
}

/** Throws P2pError `p2p/handshake`. */
export function sharedSecret(key: NodeKey, publicKey: Uint8Array): Uint8Array {
  try {
    return key.sharedSecret(publicKey)
  } catch (cause) {
    throw new P2pError('p2p/handshake', 'public key that is no point of secp256k1', {}, { cause })
  }
}

/** NIST SP 800-56 concatenation KDF; 32 bytes take one round. */
function deriveKeys(secret: Uint8Array): { readonly encryption: Uint8Array; readonly mac: Uint8Array } {
  const derived = sha256(concatBytes(Uint8Array.of(0, 0, 0, 1), secret))
  return { encryption: derived.subarray(0, 16), mac: sha256(derived.subarray(16)) }
}

function tag(key: Uint8Array, encrypted: Uint8Array, authenticated: Uint8Array): Uint8Array {
  return createHmac('sha256', key).update(encrypted).update(authenticated).digest()
}

function sha256(data: Uint8Array): Uint8Array {
  return createHash('sha256').update(data).digest()
}
