/** manifest.json is written last, to mark a complete snapshot. */
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseManifest, type SnapshotManifest, type SnapshotWriter } from '@keelson/execution'
import { keccak256Hash } from '@keelson/primitives'
import { AssemblyError } from '../../errors.ts'

const MANIFEST = 'manifest.json'

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
    return parseManifest(await readFile(join(folder, MANIFEST), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new AssemblyError('node/usage', `${folder} holds no snapshot, or one whose export has not ended: there is no ${MANIFEST}`)
  }
}

export async function readChunk(folder: string, file: string): Promise<Uint8Array> {
  try {
    return new Uint8Array(await readFile(join(folder, file)))
  } catch (cause) {
    throw new AssemblyError('node/usage', `${file} of the snapshot cannot be read: ${(cause as Error).message}`, {}, { cause })
  }
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
