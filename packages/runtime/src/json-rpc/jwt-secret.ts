import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hexToBytes, isHex, messageOf } from '@keelson/primitives'
import { RuntimeError } from '../runtime-error.ts'
import { Secret } from '../secret.ts'

export type JwtSecret = Secret<Uint8Array>

const SECRET_BYTES = 32

export interface LoadedJwtSecret {
  readonly secret: JwtSecret
  readonly created: boolean
  readonly warning: string | null
}

export async function loadJwtSecret(path: string, options: { readonly create?: boolean } = {}): Promise<LoadedJwtSecret> {
  try {
    return await readSecret(path)
  } catch (error) {
    if (error instanceof RuntimeError) throw error
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw fileError(path, error)
    if (options.create !== true) {
      throw new RuntimeError(
        'runtime/jwt-secret',
        `there is no JWT secret at ${path}: give both clients the path of the same file of 64 hex digits`,
        { path },
        { cause: error },
      )
    }
  }
  try {
    await mkdir(dirname(path), { recursive: true })
    // The second of two processes reads the first one's file.
    await writeFile(path, `0x${randomBytes(SECRET_BYTES).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
    await chmod(path, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fileError(path, error)
    return readSecret(path)
  }
  return { ...(await readSecret(path)), created: true }
}

/** Throws RuntimeError `runtime/jwt-secret`. */
export function parseJwtSecret(text: string, path: string): JwtSecret {
  const trimmed = text.trim()
  const hex = /^0x/i.test(trimmed) ? trimmed : `0x${trimmed}`
  if (!isHex(hex, SECRET_BYTES)) {
    throw new RuntimeError(
      'runtime/jwt-secret',
      `the JWT secret in ${path} must be ${SECRET_BYTES * 2} hex digits (with or without 0x); the file holds ${trimmed.length} characters that are not`,
      { path },
    )
  }
  return new Secret(hexToBytes(hex))
}

async function readSecret(path: string): Promise<LoadedJwtSecret> {
  const secret = parseJwtSecret(await readFile(path, 'utf8'), path)
  const mode = (await stat(path)).mode & 0o777
  const open = process.platform !== 'win32' && (mode & 0o077) !== 0
  const warning = open ? `others can read the JWT secret ${path} (mode ${mode.toString(8)}): chmod 600 ${path}` : null
  return { secret, created: false, warning }
}

function fileError(path: string, cause: unknown): RuntimeError {
  const text = messageOf(cause)
  return new RuntimeError('runtime/jwt-secret', `the JWT secret ${path} cannot be used: ${text}`, { path }, { cause })
}
