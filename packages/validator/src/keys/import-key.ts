import { bytesToHex, equalBytes, hexToBytes, isHex } from '@keelson/primitives'
import { Secret } from '@keelson/runtime'
import { decryptContainer, parseContainer } from './key-container.ts'
import { keyError, keyFileError } from './key-file-error.ts'
import { addressOfPublicKey, isPrivateKey, publicKeyOf } from './secp256k1-key.ts'

const BLS_PUBLIC_KEY_BYTES = 48

export function isKeyContainer(text: string): boolean {
  return text.trimStart().startsWith('{')
}

/** Parses 64 hex digits, with or without 0x. Errors never contain the text. Throws ValidatorError `consensus/validator-key`. */
export function parseRawKey(text: string): Secret<Uint8Array> {
  const trimmed = text.trim()
  const hex = trimmed.startsWith('0x') ? trimmed : `0x${trimmed}`
  if (!isHex(hex, 32)) throw keyError(`expected a private key of 64 hex digits, got ${trimmed.length} characters that are none`)
  return checked(hexToBytes(hex))
}

/** Throws ValidatorError `consensus/validator-key`, also when the key is not the one that the file names. */
export async function openContainer(text: string, password: string): Promise<Secret<Uint8Array>> {
  const container = parseContainer(text)
  const { format, identity } = container
  if (format === 'eip-2335' && identity?.length === BLS_PUBLIC_KEY_BYTES) {
    throw keyFileError('it holds a BLS key of a beacon chain; this chain needs secp256k1 keys')
  }
  const secret = checked((await decryptContainer(container, password)).reveal())
  const publicKey = publicKeyOf(secret.reveal())
  const address = addressOfPublicKey(publicKey) as string
  const named = identity === null || identity.length === 0 ? null : identity
  const isNamed = named === null || equalBytes(named, publicKey) || bytesToHex(named) === address
  if (!isNamed) throw keyFileError(`it names another key than the one inside, which is that of ${address}`)
  return secret
}

function checked(key: Uint8Array): Secret<Uint8Array> {
  if (!isPrivateKey(key)) throw keyError('this is no secp256k1 private key: expected a number from 1 to the order of the curve')
  return new Secret(key)
}
