/**
 * Writes EIP-2335 containers with the compressed secp256k1 public key, and also reads Geth key files (Web3 Secret Storage,
 * version 3).
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { bytesToHex, concatBytes, keccak256, messageOf, parseJsonObject } from '@keelson/primitives'
import { Secret } from '@keelson/runtime'
import { ValidatorError } from '../errors.ts'
import { deriveKey, type KeyDerivation, parseBareHex, parseKeyDerivation } from './key-derivation.ts'
import { keyError, keyFileError } from './key-file-error.ts'
import { normalisePassword } from './password.ts'

/** Parameters of EIP-2335: about a second of work and 256 MiB. */
export const DEFAULT_DERIVATION = { function: 'scrypt', n: 2 ** 18, r: 8, p: 1 } as const

export type DerivationChoice =
  | { readonly function: 'scrypt'; readonly n: number; readonly r: number; readonly p: number }
  | { readonly function: 'pbkdf2'; readonly c: number }

export interface KeyContainer {
  readonly format: 'eip-2335' | 'web3-v3'
  readonly identity: Uint8Array | null
  readonly description: string | null
  readonly derivation: KeyDerivation
  readonly iv: Uint8Array
  readonly ciphertext: Uint8Array
  readonly checksum: Uint8Array
}

export interface ContainerInput {
  readonly secret: Secret<Uint8Array>
  readonly publicKey: Uint8Array
  readonly password: string
  readonly description: string
  readonly derivation?: DerivationChoice
}

export const MAX_KEY_FILE_BYTES = 64 * 1024
const SECRET_BYTES = 32
const IV_BYTES = 16
const SALT_BYTES = 32

export async function encryptContainer(input: ContainerInput): Promise<string> {
  const derivation: KeyDerivation = { ...(input.derivation ?? DEFAULT_DERIVATION), salt: new Uint8Array(randomBytes(SALT_BYTES)) }
  const iv = new Uint8Array(randomBytes(IV_BYTES))
  const key = await deriveKey(normalisePassword(input.password), derivation)
  const cipher = createCipheriv('aes-128-ctr', key.subarray(0, 16), iv)
  const ciphertext = concatBytes(cipher.update(input.secret.reveal()), cipher.final())
  const { function: name, salt, ...params } = derivation
  const prf = name === 'pbkdf2' ? { prf: 'hmac-sha256' } : {}
  const document = {
    crypto: {
      kdf: { function: name, params: { dklen: key.length, ...params, ...prf, salt: bareHex(salt) }, message: '' },
      checksum: { function: 'sha256', params: {}, message: bareHex(sha256Checksum(key, ciphertext)) },
      cipher: { function: 'aes-128-ctr', params: { iv: bareHex(iv) }, message: bareHex(ciphertext) },
    },
    description: input.description,
    pubkey: bareHex(input.publicKey),
    path: '',
    uuid: randomUUID(),
    version: 4,
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

/** Throws ValidatorError `consensus/validator-key`. */
export function parseContainer(text: string): KeyContainer {
  if (text.length > MAX_KEY_FILE_BYTES) throw keyFileError(`it is larger than ${MAX_KEY_FILE_BYTES} bytes`)
  try {
    const document = parseJsonObject(JSON.parse(text), 'key file')
    if (document.version === 4) return parseEip2335(document)
    if (document.version === 3) return parseWeb3(document)
    throw keyFileError(`its version is ${JSON.stringify(document.version)?.slice(0, 40)}, expected 4 (EIP-2335) or 3 (Geth)`)
  } catch (error) {
    if (error instanceof ValidatorError) throw error
    // The parser's message may quote the file.
    throw keyFileError(error instanceof SyntaxError ? 'it is not JSON' : messageOf(error))
  }
}

/** Throws ValidatorError `consensus/validator-key` for a wrong password. */
export async function decryptContainer(container: KeyContainer, password: string): Promise<Secret<Uint8Array>> {
  const { format, derivation, iv, ciphertext, checksum } = container
  const passwordBytes = format === 'eip-2335' ? normalisePassword(password) : new TextEncoder().encode(password)
  const key = await deriveKey(passwordBytes, derivation)
  const expected = format === 'eip-2335' ? sha256Checksum(key, ciphertext) : keccak256(checkedPart(key, ciphertext))
  if (!timingSafeEqual(checksum, expected)) throw keyError('wrong password for the key file')
  const decipher = createDecipheriv('aes-128-ctr', key.subarray(0, 16), iv)
  return new Secret(concatBytes(decipher.update(ciphertext), decipher.final()))
}

function parseEip2335(document: Readonly<Record<string, unknown>>): KeyContainer {
  const parts = parseJsonObject(document.crypto, 'crypto')
  const [kdf, checksum, cipher] = ['kdf', 'checksum', 'cipher'].map((part) => parseJsonObject(parts[part], part)) as [Part, Part, Part]
  if (checksum.function !== 'sha256') throw keyFileError('its checksum is not sha256')
  if (cipher.function !== 'aes-128-ctr') throw keyFileError('its cipher is not aes-128-ctr')
  return {
    format: 'eip-2335',
    identity: parseBareHex(document.pubkey ?? '', 'pubkey'),
    description: typeof document.description === 'string' ? document.description : null,
    derivation: parseKeyDerivation(kdf.function, kdf.params),
    iv: parseBareHex(parseJsonObject(cipher.params, 'cipher params').iv, 'iv', IV_BYTES),
    ciphertext: parseBareHex(cipher.message, 'encrypted secret', SECRET_BYTES),
    checksum: parseBareHex(checksum.message, 'checksum', 32),
  }
}

function parseWeb3(document: Readonly<Record<string, unknown>>): KeyContainer {
  const parts = parseJsonObject(document.crypto ?? document.Crypto, 'crypto')
  if (parts.cipher !== 'aes-128-ctr') throw keyFileError('its cipher is not aes-128-ctr')
  return {
    format: 'web3-v3',
    identity: document.address === undefined ? null : parseBareHex(document.address, 'address', 20),
    description: null,
    derivation: parseKeyDerivation(parts.kdf, parts.kdfparams),
    iv: parseBareHex(parseJsonObject(parts.cipherparams, 'cipherparams').iv, 'iv', IV_BYTES),
    ciphertext: parseBareHex(parts.ciphertext, 'encrypted secret', SECRET_BYTES),
    checksum: parseBareHex(parts.mac, 'mac', 32),
  }
}

type Part = Readonly<Record<string, unknown>>

function checkedPart(key: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  return concatBytes(key.subarray(16, 32), ciphertext)
}

function sha256Checksum(key: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(checkedPart(key, ciphertext)).digest())
}

function bareHex(bytes: Uint8Array): string {
  return bytesToHex(bytes).slice(2)
}
