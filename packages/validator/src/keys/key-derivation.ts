/** The file states the parameters, so they are bounded: a hostile file must not exhaust memory or time. */
import { pbkdf2, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { hexToBytes, isHex, parseJsonInteger, parseJsonObject } from '@keelson/primitives'
import { keyFileError } from './key-file-error.ts'

export type KeyDerivation =
  | { readonly function: 'scrypt'; readonly n: number; readonly r: number; readonly p: number; readonly salt: Uint8Array }
  | { readonly function: 'pbkdf2'; readonly c: number; readonly salt: Uint8Array }

export const DERIVED_KEY_BYTES = 32
const MAX_SCRYPT_MEMORY_BYTES = 2 ** 30
const MAX_SCRYPT_WORK = 2 ** 24
const MAX_PBKDF2_ROUNDS = 10_000_000
const MAX_SALT_BYTES = 1024

const scryptAsync = promisify<Uint8Array, Uint8Array, number, object, Buffer>(scrypt)
const pbkdf2Async = promisify(pbkdf2)

export async function deriveKey(password: Uint8Array, derivation: KeyDerivation): Promise<Uint8Array> {
  if (derivation.function === 'pbkdf2') {
    return new Uint8Array(await pbkdf2Async(password, derivation.salt, derivation.c, DERIVED_KEY_BYTES, 'sha256'))
  }
  const { n, r, p, salt } = derivation
  // OpenSSL needs slightly more than scrypt's 128 * n * r bytes.
  const maxmem = 128 * n * r + 128 * r * p + 2 ** 20
  return new Uint8Array(await scryptAsync(password, salt, DERIVED_KEY_BYTES, { N: n, r, p, maxmem }))
}

/** Throws ValidatorError `consensus/validator-key` for unsupported or excessive parameters. */
export function parseKeyDerivation(name: unknown, params: unknown): KeyDerivation {
  const { dklen, salt: saltText, ...rest } = parseJsonObject(params, 'kdf params')
  if (dklen !== DERIVED_KEY_BYTES) throw keyFileError(`its key derivation gives ${String(dklen)} bytes, expected ${DERIVED_KEY_BYTES}`)
  const salt = parseBareHex(saltText, 'salt')
  if (salt.length > MAX_SALT_BYTES) throw keyFileError(`its salt has ${salt.length} bytes, at most ${MAX_SALT_BYTES}`)
  const positive = (key: string): number => {
    const value = parseJsonInteger(rest[key], key)
    if (value < 1) throw keyFileError(`${key} of its key derivation is ${value}, expected at least 1`)
    return value
  }
  if (name === 'scrypt') {
    const [n, r, p] = [positive('n'), positive('r'), positive('p')]
    if (n < 2 || !Number.isInteger(Math.log2(n))) throw keyFileError(`n of its scrypt is ${n}, expected a power of two`)
    if (Math.log2(n) >= 16 * r) throw keyFileError(`n of its scrypt is ${n}, which RFC 7914 allows only with an r above ${r}`)
    if (128 * n * r > MAX_SCRYPT_MEMORY_BYTES || n * r * p > MAX_SCRYPT_WORK) {
      throw keyFileError(`its scrypt (n ${n}, r ${r}, p ${p}) would need more memory or time than is given to a key file`)
    }
    return { function: 'scrypt', n, r, p, salt }
  }
  if (name === 'pbkdf2') {
    if (rest.prf !== 'hmac-sha256') throw keyFileError(`prf of its pbkdf2 is ${JSON.stringify(rest.prf)}, expected "hmac-sha256"`)
    const c = positive('c')
    if (c > MAX_PBKDF2_ROUNDS) throw keyFileError(`c of its pbkdf2 is ${c}, at most ${MAX_PBKDF2_ROUNDS}`)
    return { function: 'pbkdf2', c, salt }
  }
  throw keyFileError(`its key derivation is ${JSON.stringify(name)?.slice(0, 40)}, expected scrypt or pbkdf2`)
}

/** Throws ValidatorError `consensus/validator-key`. */
export function parseBareHex(value: unknown, what: string, byteLength?: number): Uint8Array {
  const hex = `0x${typeof value === 'string' ? value.replace(/^0x/, '') : ''}`
  if (typeof value === 'string' && isHex(hex, byteLength)) return hexToBytes(hex)
  throw keyFileError(`its ${what} is not hex${byteLength === undefined ? '' : ` of ${byteLength} bytes`}`)
}
