/** Files of a network, and the two ways in which a snapshot keeps them. */
import { createHash } from 'node:crypto'
import { constants, copyFileSync, linkSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { lstat, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'

/** Most files are small, and waiting for each in turn takes longer than reading it. */
const CONCURRENT = 16
/** A table of LevelDB, which never changes once it is written. */
const TABLE = /\.ldb$/
/** A younger table may be one that LevelDB has not finished, and would write again under the same name. */
const SETTLED_MS = 60_000
const GZIP = '.gz'
const FASTEST = 1
const MAX_FILE_BYTES = 4 * 1024 ** 3

export interface Tree {
  readonly folders: readonly string[]
  readonly files: readonly string[]
  /** The size of the files that must be copied, without those that can be linked. */
  readonly bytes: number
}

export interface CapturedFile {
  /** Relative to the captured folder, with `/`. */
  readonly path: string
  readonly bytes: number
  readonly isLinked: boolean
}

export interface StoredFile extends CapturedFile {
  /** On the disk, besides what the network has there. */
  readonly storedBytes: number
  /** Hash of the content. Null for a linked file: LevelDB checks each block of a table by a checksum. */
  readonly sha256: string | null
}

/** Leaves out sockets and other special files, and paths that `isLeftOut` names. */
export function readTree(root: string, names: readonly string[], isLeftOut: (path: string) => boolean): Tree {
  const folders: string[] = []
  const files: string[] = []
  let bytes = 0
  const visit = (path: string): void => {
    const found = isLeftOut(path) ? undefined : lstatSync(join(root, path), { throwIfNoEntry: false })
    if (found?.isFile()) {
      files.push(path)
      if (!TABLE.test(path)) bytes += found.size
    } else if (found?.isDirectory()) {
      folders.push(path)
      for (const name of readdirSync(join(root, path)).sort()) visit(`${path}/${name}`)
    }
  }
  for (const name of names) visit(name)
  return { folders, files, bytes }
}

/**
 * Links tables and copies all other files. The network stands still meanwhile, so nothing is gained by waiting for thousands of small
 * files in turns. Keeps permissions, because some folders hold keys.
 */
export function captureTree(from: string, to: string, { folders, files }: Tree, nowMs: number): readonly CapturedFile[] {
  makeFolders(from, to, folders)
  return files.map((path) => {
    const { size, mtimeMs } = statSync(join(from, path))
    const isSettled = TABLE.test(path) && nowMs - mtimeMs >= SETTLED_MS
    const isLinked = isSettled && linkFile(join(from, path), join(to, path))
    if (!isLinked) copyFileSync(join(from, path), join(to, path), constants.COPYFILE_FICLONE)
    return { path, bytes: size, isLinked }
  })
}

/** Compresses what was copied. */
export function storeTree(folder: string, captured: readonly CapturedFile[]): Promise<readonly StoredFile[]> {
  return eachOf(captured, async (file) => {
    if (file.isLinked) return { ...file, storedBytes: 0, sha256: null }
    const path = join(folder, file.path)
    const content = await readFile(path)
    const packed = await promisify(gzip)(content, { level: FASTEST })
    await writeFile(path + GZIP, packed, { mode: (await stat(path)).mode & 0o777 })
    await rm(path)
    return { ...file, bytes: content.length, storedBytes: packed.length, sha256: digestOf(content) }
  })
}

/** A file that is compressed already, such as a dump from L1. */
export async function storeCompressed(folder: string, path: string, packed: Uint8Array): Promise<StoredFile> {
  const content = await promisify(gunzip)(packed, { maxOutputLength: MAX_FILE_BYTES })
  await writeFile(join(folder, path + GZIP), packed)
  return { path, bytes: content.length, isLinked: false, storedBytes: packed.length, sha256: digestOf(content) }
}

/** Returns the path of the first file or folder that is not what was stored, or null. A folder may not be a link. */
export async function unpackTree(
  from: string,
  to: string,
  { folders, files }: { readonly folders: readonly string[]; readonly files: readonly StoredFile[] },
): Promise<string | null> {
  const root = await realpath(from)
  for (const folder of folders) if ((await realpath(join(from, folder))) !== join(root, folder)) return folder
  const known = new Set(['.', ...folders])
  const stray = files.find(({ path }) => !known.has(dirname(path)))
  if (stray !== undefined) return stray.path
  makeFolders(from, to, folders)
  const wrong = await eachOf(files, async ({ path, bytes, isLinked, sha256 }) => {
    const [stored, target] = [join(from, path), join(to, path)]
    const found = await lstat(isLinked ? stored : stored + GZIP)
    // A link would lead out of the snapshot, and a device never ends.
    if (!found.isFile() || bytes > MAX_FILE_BYTES || (isLinked && !TABLE.test(path))) return path
    if (isLinked) {
      if (found.size !== bytes) return path
      if (!linkFile(stored, target)) copyFileSync(stored, target, constants.COPYFILE_FICLONE)
      return null
    }
    const content = await promisify(gunzip)(await readFile(stored + GZIP), { maxOutputLength: bytes + 1 })
    if (content.length !== bytes || digestOf(content) !== sha256) return path
    await writeFile(target, content, { mode: found.mode & 0o777 })
    return null
  })
  return wrong.find((path) => path !== null) ?? null
}

function makeFolders(from: string, to: string, folders: readonly string[]): void {
  for (const folder of folders) mkdirSync(join(to, folder), { recursive: true, mode: lstatSync(join(from, folder)).mode & 0o777 })
}

/** False where the disk has no links. */
function linkFile(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error
    return false
  }
}

/** Rejects when nothing is under way any more, so that the caller can remove the folders. */
async function eachOf<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  for (let i = 0; i < items.length; i += CONCURRENT) {
    const settled = await Promise.allSettled(items.slice(i, i + CONCURRENT).map(act))
    for (const one of settled) {
      if (one.status === 'rejected') throw one.reason
      results.push(one.value)
    }
  }
  return results
}

function digestOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
