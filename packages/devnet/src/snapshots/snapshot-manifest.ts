/** What a snapshot has. It may come from another machine, so nothing in it may name a place outside of the snapshot. */
import { CodecError, parseJsonArray, parseJsonInteger, parseJsonObject } from '@keelson/primitives'
import type { StoredFile } from './file-tree.ts'

export interface Manifest {
  readonly layout: typeof LAYOUT
  readonly takenMs: number
  readonly folders: readonly string[]
  readonly files: readonly StoredFile[]
}

export const LAYOUT = 2
const MAX_PATH_LENGTH = 1024
const SHA256 = /^[0-9a-f]{64}$/

/** Null when another version wrote it. Throws CodecError and SyntaxError. */
export function parseSnapshotManifest(text: string): Manifest | null {
  const { layout, takenMs, folders, files } = parseJsonObject(JSON.parse(text), 'the document')
  if (layout !== LAYOUT) return null
  return {
    layout,
    takenMs: parseJsonInteger(takenMs, 'takenMs'),
    folders: parseJsonArray(folders, 'folders', parsePath),
    files: parseJsonArray(files, 'files', parseFile),
  }
}

function parseFile(value: unknown, what: string): StoredFile {
  const { path, bytes, isLinked, storedBytes, sha256 } = parseJsonObject(value, what)
  if (typeof isLinked !== 'boolean') throw new CodecError('codec/json', `${what}.isLinked: expected true or false`)
  if (isLinked ? sha256 !== null : typeof sha256 !== 'string' || !SHA256.test(sha256)) {
    throw new CodecError('codec/json', `${what}.sha256: expected ${isLinked ? 'null' : '64 hexadecimal digits'}`)
  }
  return {
    path: parsePath(path, `${what}.path`),
    bytes: parseJsonInteger(bytes, `${what}.bytes`),
    isLinked,
    storedBytes: parseJsonInteger(storedBytes, `${what}.storedBytes`),
    sha256: sha256 as string | null,
  }
}

/** Relative, with `/`, and below its folder. */
function parsePath(value: unknown, what: string): string {
  const isPath = typeof value === 'string' && value.length <= MAX_PATH_LENGTH && !value.includes('\0') && !value.includes('\\')
  if (isPath && value.split('/').every((name) => name !== '' && name !== '.' && name !== '..')) return value
  throw new CodecError('codec/json', `${what}: expected a path below the snapshot, got ${JSON.stringify(value)?.slice(0, 80)}`)
}
