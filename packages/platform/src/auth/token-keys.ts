/** `kid:64 hex digits` per line. The first key signs and all verify. */
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { bytesToHex, hexToBytes, isHex, messageOf, type Random } from '@keelson/primitives'
import { Secret } from '@keelson/runtime'
import { PlatformError } from '../platform-error.ts'

export interface TokenKey {
  readonly kid: string
  readonly secret: Secret<Uint8Array>
}

export type TokenKeys = readonly [TokenKey, ...TokenKey[]]

const KEY_BYTES = 32
const MAX_KEYS = 20
const KID = /^[A-Za-z0-9_-]{1,40}$/
const OTHERS_MAY_READ = 0o077

/** Throws PlatformError `platform/token-keys`. */
export function parseTokenKeys(text: string, place: string): TokenKeys {
  const entries = text
    .split('\n')
    .filter((line) => !line.trim().startsWith('#'))
    .flatMap((line) => line.split(','))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  const keys = entries.map((entry, i): TokenKey => {
    const [kid = '', hex = ''] = entry.split(':')
    const digits = /^0x/i.test(hex) ? hex : `0x${hex}`
    if (!KID.test(kid) || !isHex(digits, KEY_BYTES)) {
      throw unusable(place, `key ${i + 1} does not have the form kid:${KEY_BYTES * 2} hex digits`)
    }
    return { kid, secret: new Secret(hexToBytes(digits)) }
  })
  const [first, ...rest] = keys
  if (first === undefined) throw unusable(place, 'it contains no key')
  if (keys.length > MAX_KEYS) throw unusable(place, `it contains ${keys.length} keys, and at most ${MAX_KEYS} are allowed`)
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) throw unusable(place, 'two keys have the same kid')
  return [first, ...rest]
}

/** Creates a missing file with mode 600. Throws PlatformError `platform/token-keys`. */
export async function loadTokenKeys(path: string, random: Random): Promise<TokenKeys> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const kid = bytesToHex(random.bytes(4)).slice(2)
    const key = bytesToHex(random.bytes(KEY_BYTES)).slice(2)
    // with 'wx', a second process fails here and reads the first one's key
    await writeFile(path, `${kid}:${key}\n`, { mode: 0o600, flag: 'wx' })
    await chmod(path, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(path, describe(error), error)
  }
  try {
    const { mode } = await stat(path)
    if ((mode & OTHERS_MAY_READ) !== 0) throw unusable(path, `others may read it (mode ${(mode & 0o777).toString(8)}): chmod 600 ${path}`)
    return parseTokenKeys(await readFile(path, 'utf8'), path)
  } catch (error) {
    throw error instanceof PlatformError ? error : unusable(path, describe(error), error)
  }
}

function describe(error: unknown): string {
  return messageOf(error)
}

function unusable(place: string, reason: string, cause?: unknown): PlatformError {
  return new PlatformError(
    'platform/token-keys',
    `the token keys in ${place} cannot be used: ${reason}`,
    { place },
    cause === undefined ? {} : { cause },
  )
}
