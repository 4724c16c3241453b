/** Stores blobs by versioned hash, because anvil loses them at a restart. A file holds commitment, proof and blob. */
import { mkdir, readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hash } from '@keelson/primitives'

export interface ArchivedBlob {
  readonly commitment: Uint8Array
  readonly proof: Uint8Array
  readonly blob: Uint8Array
}

export interface BlobArchive {
  has(versionedHash: Hash): Promise<boolean>
  find(versionedHash: Hash): Promise<ArchivedBlob | null>
  put(versionedHash: Hash, blob: ArchivedBlob): Promise<void>
  /** Deletes the oldest files above `maxBytes`. */
  prune(): Promise<number>
}

const POINT_BYTES = 48
const BLOB_BYTES = 131_072
const FILE_BYTES = 2 * POINT_BYTES + BLOB_BYTES
const SUFFIX = '.blob'

export async function createBlobArchive(folder: string, maxBytes: number): Promise<BlobArchive> {
  await mkdir(folder, { recursive: true })
  const path = (hash: Hash) => join(folder, `${hash}${SUFFIX}`)

  return {
    has: (hash) =>
      stat(path(hash)).then(
        ({ size }) => size === FILE_BYTES,
        () => false,
      ),

    async find(hash) {
      const bytes = await readFile(path(hash)).catch(() => null)
      if (bytes === null || bytes.length !== FILE_BYTES) return null
      return {
        commitment: bytes.subarray(0, POINT_BYTES),
        proof: bytes.subarray(POINT_BYTES, 2 * POINT_BYTES),
        blob: bytes.subarray(2 * POINT_BYTES),
      }
    },

    async put(hash, { commitment, proof, blob }) {
      const partial = `${path(hash)}.partial`
      await writeFile(partial, Buffer.concat([commitment, proof, blob]))
      await rename(partial, path(hash))
    },

    async prune() {
      const names = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX))
      let excess = names.length - Math.floor(maxBytes / FILE_BYTES)
      if (excess <= 0) return 0
      const aged = await Promise.all(names.map(async (name) => ({ name, mtimeMs: (await stat(join(folder, name))).mtimeMs })))
      aged.sort((a, b) => a.mtimeMs - b.mtimeMs)
      const doomed = aged.slice(0, excess)
      for (const { name } of doomed) {
        await unlink(join(folder, name))
        excess--
      }
      return doomed.length
    },
  }
}
