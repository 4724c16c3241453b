import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { bytesToHex, hexToBytes, isHex, messageOf } from '@keelson/primitives'
import { RuntimeError } from './runtime-error.ts'

const KEY_BYTES = 32

/** Reads the key of a node in its network (hex), or creates it with mode 600. Throws RuntimeError `runtime/node-key`. */
export async function loadNodeKey(path: string): Promise<Uint8Array> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new RuntimeError('runtime/node-key', `the node key ${path} cannot be read: ${messageOf(error)}`, {}, { cause: error })
  })
  if (text === null) return createNodeKey(path)
  const trimmed = text.trim()
  const hex = trimmed.startsWith('0x') ? trimmed : `0x${trimmed}`
  if (isHex(hex, KEY_BYTES)) return hexToBytes(hex)
  throw new RuntimeError(
    'runtime/node-key',
    `the node key ${path} must be ${KEY_BYTES} bytes of hex; remove the file to get a new identity`,
  )
}

async function createNodeKey(path: string): Promise<Uint8Array> {
  const key = new Uint8Array(randomBytes(KEY_BYTES))
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, `${bytesToHex(key).slice(2)}\n`, { mode: 0o600, flag: 'wx' })
    await chmod(path, 0o600)
  } catch (cause) {
    throw new RuntimeError('runtime/node-key', `the node key ${path} cannot be written: ${messageOf(cause)}`, {}, { cause })
  }
  return key
}
