import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesToHex, type Hash, hexToBytes, toHash } from '@keelson/primitives'
import { createKzg, type KzgService } from '../../../node/src/crypto/kzg.ts'
import { type BeaconBackend, createBeaconListener } from './beacon-api.ts'
import { createBlobArchive } from './blob-archive.ts'
import { createBlobCollector } from './blob-collector.ts'
import { findBlocksAtTime, type L1Block, type L1Blocks } from './slot-clock.ts'

const l1Block = (number: number, timestampSec: number, blobHashes: readonly string[] = [], fork = ''): L1Block => ({
  hash: `${number}${fork}`,
  number,
  timestampSec,
  blobHashes,
})

function l1Of(blocks: readonly L1Block[]): L1Blocks {
  return {
    byNumber: async (number) => blocks.find((block) => block.number === number) ?? null,
    headNumber: async () => blocks.length - 1,
  }
}

function versionedHash(commitment: Uint8Array): Hash {
  const hash = createHash('sha256').update(commitment).digest()
  hash[0] = 1
  return toHash(new Uint8Array(hash))
}

describe('beacon shim', () => {
  let folder: string
  let kzg: KzgService
  const blob = new Uint8Array(131_072).fill(3, 1, 31)

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-beacon-'))
    kzg = createKzg()
  })
  after(async () => {
    await kzg.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('finds a block by its time and nothing between two blocks', async () => {
    const blocks = l1Of([0, 4, 8, 13].map((t, number) => l1Block(number, 1000 + t)))
    const numbersAt = async (timestampSec: number) => (await findBlocksAtTime(timestampSec, blocks)).map(({ number }) => number)
    assert.deepEqual(await numbersAt(1000), [0])
    assert.deepEqual(await numbersAt(1008), [2])
    assert.deepEqual(await numbersAt(1013), [3])
    assert.deepEqual(await numbersAt(1005), [])
    assert.deepEqual(await numbersAt(999), [])
    assert.deepEqual(await numbersAt(1014), [])
  })

  it('finds all blocks of one time, as a reorg by command leaves them', async () => {
    for (const times of [
      [0, 4, 4, 4, 4, 20],
      [4, 4, 4, 4],
      [0, 4, 4, 4],
      [3, 4, 4, 5, 5, 5],
    ]) {
      const blocks = l1Of(times.map((t, number) => l1Block(number, 1000 + t)))
      assert.deepEqual(
        (await findBlocksAtTime(1004, blocks)).map(({ number }) => number),
        times.flatMap((t, number) => (t === 4 ? [number] : [])),
      )
    }
  })

  it('looks again at the blocks below when L1 has reorganised at the same height', async () => {
    const hash = versionedHash(await kzg.blobToCommitment(blob))
    const archive = await createBlobArchive(join(folder, 'reorg'), 10_000_000)
    let blocks = [0, 1, 2, 3].map((number) => l1Block(number, 1000 + number))
    const l1: L1Blocks = { byNumber: async (number) => blocks[number] ?? null, headNumber: async () => blocks.length - 1 }
    const collector = createBlobCollector(l1, { blob: async () => bytesToHex(blob) }, archive)
    assert.equal(await collector.step(), 0)
    blocks = [0, 1, 2, 3].map((number) =>
      l1Block(number, 1000 + number, number === 2 ? [hash] : [], number < 2 ? '' : ' of the other fork'),
    )
    assert.equal(await collector.step(), 1)
    assert.equal(await archive.has(hash), true)
  })

  it('archives a blob once and serves it on both routes after L1 has forgotten it', async () => {
    const hash = versionedHash(await kzg.blobToCommitment(blob))
    const blocks = l1Of([l1Block(0, 1000), l1Block(1, 1004, [hash])])
    const archive = await createBlobArchive(join(folder, 'a'), 10_000_000)
    let l1Remembers = true
    const collector = createBlobCollector(blocks, { blob: async () => (l1Remembers ? bytesToHex(blob) : null) }, archive)
    assert.equal(await collector.step(), 1)
    l1Remembers = false
    assert.equal(await collector.step(), 0)

    const archived = await archive.find(hash)
    assert.ok(archived)

    const backend: BeaconBackend = {
      version: 'test/1',
      chainId: 900n,
      genesisTimeSec: 1000,
      kzg,
      blobsOf: async (slot) => (slot === 4 ? { blobs: [{ index: 0, versionedHash: hash, blob: archived }] } : null),
    }
    const server = createServer(createBeaconListener(backend))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const get = async (path: string) => {
      const response = await fetch(base + path)
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    try {
      const sidecars = (await get('/eth/v1/beacon/blob_sidecars/4?indices=0')).body.data as Record<string, string>[]
      assert.equal(sidecars.length, 1)
      assert.equal(sidecars[0]?.blob, bytesToHex(blob))
      const [commitment, proof] = [sidecars[0]?.kzg_commitment, sidecars[0]?.kzg_proof].map((hex) => hexToBytes(hex ?? ''))
      assert.equal(versionedHash(commitment as Uint8Array), hash)
      assert.equal(await kzg.verifyBlobProof(blob, commitment as Uint8Array, proof as Uint8Array), true)
      assert.deepEqual((await get('/eth/v1/beacon/blob_sidecars/4?indices=1')).body.data, [])
      assert.deepEqual((await get(`/eth/v1/beacon/blobs/4?versioned_hashes=${hash}`)).body.data, [bytesToHex(blob)])
      assert.equal((await get('/eth/v1/beacon/blob_sidecars/5')).status, 404)
      assert.equal((await get('/eth/v1/beacon/blob_sidecars/0x1')).status, 400)
      assert.equal((await get('/eth/v1/beacon/headers')).status, 404)
      assert.deepEqual((await get('/eth/v1/node/version')).body, { data: { version: 'test/1' } })
      assert.equal(((await get('/eth/v1/beacon/genesis')).body.data as { genesis_time: string }).genesis_time, '1000')
      assert.equal(((await get('/eth/v1/config/spec')).body.data as { SECONDS_PER_SLOT: string }).SECONDS_PER_SLOT, '1')
    } finally {
      await new Promise((resolve) => server.close(resolve))
    }
  })

  it('serves the blobs that an earlier release archived behind their commitment and proof', async () => {
    const archive = await createBlobArchive(join(folder, 'earlier'), 10_000_000)
    const hash = toHash(new Uint8Array(32).fill(9))
    await writeFile(join(folder, 'earlier', `${hash}.blob`), Buffer.concat([new Uint8Array(96).fill(7), blob]))
    assert.equal(await archive.has(hash), true)
    assert.deepEqual(new Uint8Array((await archive.find(hash)) ?? []), blob)
  })

  it('stores a blob that the poll of L1 and a request find at the same time', async () => {
    const archive = await createBlobArchive(join(folder, 'twice'), 10_000_000)
    const hash = toHash(new Uint8Array(32).fill(8))
    await Promise.all(Array.from({ length: 8 }, () => archive.put(hash, blob)))
    assert.deepEqual(new Uint8Array((await archive.find(hash)) ?? []), blob)
    await archive.put(hash, blob)
  })

  it('prunes the oldest blobs when the archive outgrows its limit', async () => {
    const archive = await createBlobArchive(join(folder, 'b'), 2 * 131_072)
    const hashes = [1, 2, 3].map((n) => toHash(new Uint8Array(32).fill(n)))
    for (const [i, hash] of hashes.entries()) {
      await archive.put(hash, blob)
      await utimes(join(folder, 'b', `${hash}.blob`), 1000 + i, 1000 + i)
    }
    assert.equal(await archive.prune(), 1)
    assert.deepEqual(await Promise.all(hashes.map((hash) => archive.has(hash))), [false, true, true])
  })
})
