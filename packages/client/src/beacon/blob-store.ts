/** Blobs on disk, because beacon nodes drop theirs after weeks; checked against their hashes on read. */
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, type Hash, isHex, type Logger, messageOf, toHash } from '@keelson/primitives'
import { singleFlight } from '@keelson/runtime'
import { BLOB_BYTES, type BlobVerification, versionedHash } from './verify-blobs.ts'

export interface BlobStoreOptions {
  readonly directory: string
  readonly maxBytes: number
  readonly maxAgeMs: number
}

export interface BlobStore {
  get(hash: Hash): Promise<Uint8Array | null>
  /** Never throws; logs the first of consecutive errors. */
  put(hash: Hash, blob: Uint8Array): Promise<void>
  readonly count: number
}

export interface BlobStoreDependencies extends BlobVerification {
  readonly clock: Pick<Clock, 'nowMs'>
  readonly log: Logger
}

const SUFFIX = '.blob'

export async function openBlobStore(options: BlobStoreOptions, deps: BlobStoreDependencies): Promise<BlobStore> {
  const { clock, log, kzg, crypto } = deps
  await mkdir(options.directory, { recursive: true })
  const fileOf = (hash: Hash) => join(options.directory, `${hash.slice(2)}${SUFFIX}`)
  const index = await readIndex(options.directory)
  let failing = false

  const drop = async (hash: Hash): Promise<void> => {
    index.delete(hash)
    await rm(fileOf(hash), { force: true })
  }
  const trim = async (): Promise<void> => {
    for (const [hash, atMs] of index) {
      if (index.size * BLOB_BYTES <= options.maxBytes && atMs > clock.nowMs() - options.maxAgeMs) break
      await drop(hash)
    }
  }
  await trim()

  /** Two readers may find a blob at the same time. */
  const put = singleFlight(async (hash: Hash, blob: Uint8Array): Promise<void> => {
    if (index.has(hash) || options.maxBytes < BLOB_BYTES) return
    const nowMs = clock.nowMs()
    const partial = `${fileOf(hash)}.partial`
    try {
      // Replaces a link of that name instead of following it.
      await rm(partial, { force: true })
      await writeFile(partial, blob, { flag: 'wx' })
      await utimes(partial, nowMs / 1000, nowMs / 1000)
      await rename(partial, fileOf(hash))
      index.set(hash, nowMs)
      await trim()
      failing = false
    } catch (error) {
      await rm(partial, { force: true }).catch(() => undefined)
      if (!failing) log.warn('blobs are not kept on disk', { reason: messageOf(error) })
      failing = true
    }
  })

  return {
    async get(hash) {
      if (!index.has(hash)) return null
      const blob = await readFile(fileOf(hash)).catch(() => null)
      const intact = blob?.length === BLOB_BYTES && (await isOf(hash, blob))
      if (intact) return new Uint8Array(blob)
      log.warn('a stored blob is damaged; it is asked for again', { versionedHash: hash })
      await drop(hash).catch(() => undefined)
      return null
    },
    put,
    get count() {
      return index.size
    },
  }

  async function isOf(hash: Hash, blob: Uint8Array): Promise<boolean> {
    try {
      return versionedHash(await kzg.blobToCommitment(blob), crypto) === hash
    } catch {
      return false
    }
  }
}

async function readIndex(directory: string): Promise<Map<Hash, number>> {
  const found: [Hash, number][] = []
  for (const name of await readdir(directory)) {
    const hex = `0x${name.slice(0, -SUFFIX.length)}`
    if (name.endsWith('.partial')) await rm(join(directory, name), { force: true })
    else if (name.endsWith(SUFFIX) && isHex(hex, 32)) found.push([toHash(hex), (await stat(join(directory, name))).mtimeMs])
  }
  return new Map(found.sort(([, a], [, b]) => a - b))
}
