/** manifest.json is written last, to mark a complete snapshot. */
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseManifest, type SnapshotManifest, type SnapshotWriter } from '@keelson/execution'
import { keccak256Hash } from '@keelson/primitives'
import { AssemblyError } from '../../errors.ts'

const MANIFEST = 'manifest.json'
/** A chunk of some MiB takes 120 bytes of it. */
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024

export function createSnapshotWriter(folder: string): SnapshotWriter {
  return {
    async write(file, hash, bytes) {
      await mkdir(folder, { recursive: true })
      const path = join(folder, file)
      const there = await stat(path).catch(() => null)
      if (there?.size === bytes.length && keccak256Hash(await readFile(path)) === hash) return
      await writeWhole(path, bytes)
    },
    finish: (manifest) => writeWhole(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`),
  }
}

/** Throws AssemblyError `node/usage`, ExecutionError `execution/bad-snapshot`. */
export async function readManifest(folder: string): Promise<SnapshotManifest> {
  try {
    const path = join(folder, MANIFEST)
    const size = await fileSize(path)
    if (size > MAX_MANIFEST_BYTES) {
      throw new AssemblyError('node/usage', `${path} has ${size} bytes, at most ${MAX_MANIFEST_BYTES} are expected: it is no manifest`)
    }
    return parseManifest(await readFile(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new AssemblyError('node/usage', `${folder} holds no snapshot, or one whose export has not ended: there is no ${MANIFEST}`)
  }
}

/** Reads nothing of a file that does not have `bytes` bytes. Throws AssemblyError `node/usage`. */
export async function readChunk(folder: string, file: string, bytes: number | null = null): Promise<Uint8Array> {
  const path = join(folder, file)
  try {
    const size = await fileSize(path)
    if (bytes !== null && size !== bytes)
      throw new Error(`it has ${size} bytes, the manifest names ${bytes}; fetch it again, then go on with the same command`)
    return new Uint8Array(await readFile(path))
  } catch (cause) {
    throw new AssemblyError('node/usage', `${file} of the snapshot cannot be read: ${(cause as Error).message}`, {}, { cause })
  }
}

/** A device or a pipe may have no end. */
async function fileSize(path: string): Promise<number> {
  const found = await stat(path)
  if (!found.isFile()) throw new AssemblyError('node/usage', `${path} is not a file`)
  return found.size
}

async function writeWhole(path: string, content: Uint8Array | string): Promise<void> {
  await rm(`${path}.new`, { force: true })
  const file = await open(`${path}.new`, 'wx')
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
}
