/** Stores blobs by versioned hash, because anvil loses them at a restart. In the files of earlier releases, commitment and proof come before the blob. */
import { mkdir, readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hash } from '@keelson/primitives'
import { singleFlight } from '@keelson/runtime'

export interface BlobArchive {
  has(versionedHash: Hash): Promise<boolean>
  find(versionedHash: Hash): Promise<Uint8Array | null>
  put(versionedHash: Hash, blob: Uint8Array): Promise<void>
  /** Deletes the oldest files above `maxBytes`. */
  prune(): Promise<number>
}

const BLOB_BYTES = 131_072
const SUFFIX = '.blob'

export async function createBlobArchive(folder: string, maxBytes: number): Promise<BlobArchive> {
  await mkdir(folder, { recursive: true })
  const path = (hash: Hash) => join(folder, `${hash}${SUFFIX}`)
  /** The poll of L1 and a request may store one blob at the same time. */
  const put = singleFlight(async (hash: Hash, blob: Uint8Array) => {
    const partial = `${path(hash)}.partial`
    await writeFile(partial, blob)
    await rename(partial, path(hash))
  })

  return {
    has: (hash) =>
      stat(path(hash)).then(
        ({ size }) => size >= BLOB_BYTES,
        () => false,
      ),

    async find(hash) {
      const bytes = await readFile(path(hash)).catch(() => null)
      return bytes === null || bytes.length < BLOB_BYTES ? null : bytes.subarray(bytes.length - BLOB_BYTES)
    },

    put,

    async prune() {
      const names = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX))
      let excess = names.length - Math.floor(maxBytes / BLOB_BYTES)
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
