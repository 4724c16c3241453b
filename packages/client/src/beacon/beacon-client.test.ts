import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesToHex, createPureCrypto, type Hash, toHash, ZERO_HASH } from '@keelson/primitives'
import { createManualClock, createSeededRandom, createSilentLogger, listen, type ManualClock, serverUrl } from '@keelson/runtime'
import { createRecordingLogger } from '../../../../test/support/recording-logger.ts'
import type { ClientError } from '../client-error.ts'
import { type BeaconClient, createBeaconClient } from './beacon-client.ts'
import { type BlobStore, openBlobStore } from './blob-store.ts'
import { BLOB_BYTES, versionedHash } from './verify-blobs.ts'

const crypto = createPureCrypto()
const commit = (blob: Uint8Array) => Uint8Array.from([...crypto.sha256(blob), ...new Uint8Array(16)])
const prove = (blob: Uint8Array) => Uint8Array.from([...crypto.sha256(commit(blob)), ...new Uint8Array(16)])
const kzg = {
  blobToCommitment: async (blob: Uint8Array) => commit(blob),
  blobProof: async (blob: Uint8Array) => prove(blob),
  verifyBlobProof: async (blob: Uint8Array, commitment: Uint8Array, proof: Uint8Array) =>
    bytesToHex(commit(blob)) === bytesToHex(commitment) && bytesToHex(prove(blob)) === bytesToHex(proof),
}

const blobOf = (byte: number) => new Uint8Array(BLOB_BYTES).fill(byte)
const hashOf = (byte: number) => versionedHash(commit(blobOf(byte)), crypto)
const sidecarOf = (byte: number, overrides: object = {}) => ({
  index: '0',
  blob: bytesToHex(blobOf(byte)),
  kzg_commitment: bytesToHex(commit(blobOf(byte))),
  kzg_proof: bytesToHex(prove(blobOf(byte))),
  ...overrides,
})

type Routes = Record<string, (query: URLSearchParams) => unknown>

describe('beacon client', () => {
  // Slot 4: genesis is at 1000 and a slot takes 12 s.
  const at = { hash: ZERO_HASH, number: 4, parentHash: ZERO_HASH, timestampSec: 1048 }
  const servers: Server[] = []
  let clients: BeaconClient[] = []
  let clock: ManualClock
  let asked: string[] = []

  const node = async (routes: Routes, name = 'a') => {
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://x')
      asked.push(`${name} ${url.pathname}`)
      const all: Routes = {
        '/eth/v1/config/spec': () => ({ data: { SECONDS_PER_SLOT: '12' } }),
        '/eth/v1/beacon/genesis': () => ({ data: { genesis_time: '1000' } }),
        ...routes,
      }
      let body: unknown = null
      try {
        body = all[url.pathname]?.(url.searchParams) ?? null
      } catch {
        response.writeHead(500).end('trouble')
        return
      }
      response.writeHead(body === null ? 404 : 200).end(JSON.stringify(body ?? { code: 404, message: 'not found' }))
    })
    servers.push(server)
    return serverUrl('http', await listen(server, { host: '127.0.0.1', port: 0, purpose: 'a test' }))
  }
  const create = (...urls: string[]) => {
    const client = createBeaconClient({ urls }, { kzg, crypto, clock, random: createSeededRandom(1), log: createSilentLogger() })
    clients.push(client)
    return client
  }
  const bytes = (blobs: readonly Uint8Array[]) => blobs.map((blob) => [blob.length, blob[0], blob[BLOB_BYTES - 1]])

  beforeEach(() => {
    clock = createManualClock()
    asked = []
  })
  afterEach(() => {
    for (const client of clients) client.close()
    clients = []
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      server.close()
    }
  })

  it('finds the slot of a block and gives blobs in the order asked, also one asked twice', async () => {
    const queries: string[][] = []
    const url = await node({
      '/eth/v1/beacon/blobs/4': (query) => {
        queries.push(query.getAll('versioned_hashes'))
        return { version: 'gloas', execution_optimistic: false, finalized: false, data: [1, 2, 3].map((n) => bytesToHex(blobOf(n))) }
      },
    })
    const client = create(url)
    const blobs = await client.blobs(at, [hashOf(3), hashOf(1), hashOf(3)])
    assert.deepEqual(
      bytes(blobs),
      [3, 1, 3].map((byte) => [BLOB_BYTES, byte, byte]),
    )
    await client.blobs(at, [hashOf(1)])
    assert.deepEqual(asked, ['a /eth/v1/config/spec', 'a /eth/v1/beacon/genesis', 'a /eth/v1/beacon/blobs/4'])
    assert.deepEqual(queries, [[hashOf(3), hashOf(1)]], 'one parameter for each hash')
  })

  it('finds blobs on both sides of Gloas at a node that no longer knows blob_sidecars or SECONDS_PER_SLOT', async () => {
    // Sepolia's first Gloas slot is 11,296,768.
    const boundary = { ...at, number: 10_000_000, timestampSec: 1_791_294_816 }
    const blobsAt = (n: number) => () => ({ version: n === 1 ? 'fulu' : 'gloas', data: [bytesToHex(blobOf(n))] })
    const url = await node({
      '/eth/v1/config/spec': () => ({ data: { SLOT_DURATION_MS: '12000', GLOAS_FORK_EPOCH: '353024' } }),
      '/eth/v1/beacon/genesis': () => ({ data: { genesis_time: '1655733600' } }),
      '/eth/v1/beacon/blobs/11296767': blobsAt(1),
      '/eth/v1/beacon/blobs/11296768': blobsAt(2),
    })
    const client = create(url)
    assert.equal((await client.blobs({ ...boundary, timestampSec: boundary.timestampSec - 12 }, [hashOf(1)]))[0]?.[0], 1)
    assert.equal((await client.blobs(boundary, [hashOf(2)]))[0]?.[0], 2)
    assert.ok(asked.every((path) => !path.includes('blob_sidecars')))
  })

  it('uses the older route of an archive that lacks the newer one, and remembers', async () => {
    const url = await node({ '/eth/v1/beacon/blob_sidecars/4': () => ({ data: [sidecarOf(1), sidecarOf(2), sidecarOf(3)] }) })
    const client = create(url)
    assert.deepEqual(
      bytes(await client.blobs(at, [hashOf(2), hashOf(1)])),
      [2, 1].map((byte) => [BLOB_BYTES, byte, byte]),
    )
    asked = []
    await assert.rejects(client.blobs(at, [hashOf(9)]), { code: 'client/blobs-unavailable' })
    assert.equal(asked[0], 'a /eth/v1/beacon/blob_sidecars/4')
  })

  it('believes no blob that does not verify', async () => {
    const badProof = { kzg_proof: bytesToHex(prove(blobOf(9))) }
    const otherBlob = { blob: bytesToHex(blobOf(9)) }
    const url = await node({
      '/eth/v1/beacon/blob_sidecars/4': () => ({ data: [sidecarOf(1, badProof), sidecarOf(2, otherBlob)] }),
      '/eth/v1/beacon/blobs/4': () => ({ data: [bytesToHex(blobOf(7))] }),
    })
    for (const hash of [hashOf(1), hashOf(2)]) {
      await assert.rejects(create(url).blobs(at, [hash]), { code: 'client/blobs-unavailable', severity: 'temporary' })
    }
  })

  it('asks the fallbacks for what the first does not have', async () => {
    const first = await node({ '/eth/v1/beacon/blob_sidecars/4': () => ({ data: [sidecarOf(1)] }) }, 'first')
    const archive = await node({ '/eth/v1/beacon/blobs/4': () => ({ data: [bytesToHex(blobOf(2))] }) }, 'archive')
    assert.deepEqual(
      bytes(await create(first, archive).blobs(at, [hashOf(1), hashOf(2)])),
      [1, 2].map((byte) => [BLOB_BYTES, byte, byte]),
    )
    assert.ok(asked.includes('archive /eth/v1/beacon/blobs/4'))
  })

  it('survives nodes that answer nonsense', async () => {
    const nonsense = await node({
      '/eth/v1/beacon/blob_sidecars/4': () => ({ data: [{ blob: '0x12' }] }),
      '/eth/v1/beacon/blobs/4': () => [],
    })
    const silent = await node({ '/eth/v1/config/spec': () => ({ data: {} }) })
    const good = await node({ '/eth/v1/beacon/blob_sidecars/4': () => ({ data: [sidecarOf(1)] }) })
    assert.equal((await create(nonsense, silent, good).blobs(at, [hashOf(1)])).length, 1)
  })

  it('names the block, the slot, and what to do when nobody has a blob', async () => {
    const url = await node({ '/eth/v1/beacon/blob_sidecars/4': () => ({ data: [] }) })
    await assert.rejects(create(url).blobs(at, [hashOf(1)]), (error: ClientError) => {
      assert.match(error.message, new RegExp(`${hashOf(1)} of L1 block 4 .*slot 4.*archive`))
      return true
    })
    await assert.rejects(create().blobs(at, [hashOf(1)]), { message: /no beacon node is configured/ })
    assert.deepEqual(await create().blobs(at, []), [])
  })

  it('tries again when a node is down, and then says so', async () => {
    const client = create('http://127.0.0.1:1')
    let over = false
    const outcome = client.blobs(at, [hashOf(1)]).then(
      () => null,
      (error: ClientError) => {
        over = true
        return error
      },
    )
    while (!over) await clock.advance(1000)
    assert.match(String((await outcome)?.message), /cannot be reached \(ECONNREFUSED\)/)
  })

  it('puts a node that fails aside for growing times while another serves, and asks it again when its time is over', async () => {
    let down = true
    const log = createRecordingLogger()
    const first = await node(
      {
        '/eth/v1/beacon/blob_sidecars/4': () => {
          if (down) throw new Error('in trouble')
          return { data: [sidecarOf(1), sidecarOf(2), sidecarOf(3), sidecarOf(4), sidecarOf(5)] }
        },
      },
      'first',
    )
    const second = await node({ '/eth/v1/beacon/blob_sidecars/4': () => ({ data: [1, 2, 3, 4].map((n) => sidecarOf(n)) }) }, 'second')
    const client = createBeaconClient({ urls: [first, second] }, { kzg, crypto, clock, random: createSeededRandom(1), log })
    clients.push(client)
    const blob = async (byte: number) => {
      asked = []
      let over = false
      const found = client.blobs(at, [hashOf(byte)]).finally(() => {
        over = true
      })
      found.catch(() => undefined)
      while (!over) await clock.advance(100)
      assert.equal((await found)[0]?.[0], byte)
      return asked.filter((path) => path.includes('blob_sidecars')).map((path) => path.split(' ')[0])
    }
    assert.deepEqual(await blob(1), ['first', 'first', 'first', 'second'])
    assert.deepEqual(await blob(2), ['second'])
    const aside = log.lines.find(({ level }) => level === 'warn')
    assert.match(String(aside?.message), /beacon node at 127\.0\.0\.1:\d+ is suspended/)
    assert.match(String(aside?.fields.why), /status 500/)
    await clock.advance(Number(aside?.fields.forMs))
    assert.deepEqual(await blob(3), ['first', 'first', 'first', 'second'])
    await clock.advance(Number(aside?.fields.forMs))
    assert.deepEqual(await blob(4), ['second'], 'the second time it rests longer')
    down = false
    assert.deepEqual(await blob(5), ['second', 'first'])
    assert.deepEqual(
      log.lines.filter(({ level }) => level !== 'debug').map(({ message }) => message.split(' is ')[1]),
      ['suspended', 'used again'],
    )
  })

  it('puts a node that limits our rate aside for as long as it asks', async () => {
    const log = createRecordingLogger()
    const limiting = createServer((_, response) => void response.writeHead(429, { 'retry-after': '120' }).end('slow down'))
    servers.push(limiting)
    const first = serverUrl('http', await listen(limiting, { host: '127.0.0.1', port: 0, purpose: 'a test' }))
    const second = await node({ '/eth/v1/beacon/blob_sidecars/4': () => ({ data: [sidecarOf(1)] }) })
    const client = createBeaconClient({ urls: [first, second] }, { kzg, crypto, clock, random: createSeededRandom(1), log })
    clients.push(client)
    let over = false
    const found = client.blobs(at, [hashOf(1)]).finally(() => {
      over = true
    })
    while (!over) await clock.advance(1000)
    assert.equal((await found).length, 1)
    assert.equal(log.lines.find(({ level }) => level === 'warn')?.fields.forMs, 120_000)
  })

  describe('with a store on disk', () => {
    let directory: string
    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'keelson-blobs-'))
    })
    afterEach(() => rm(directory, { recursive: true, force: true }))
    const open = (limits: { maxBytes?: number; maxAgeMs?: number } = {}) =>
      openBlobStore(
        { directory, maxBytes: 10 * BLOB_BYTES, maxAgeMs: 60_000, ...limits },
        { kzg, crypto, clock, log: createSilentLogger() },
      )
    const withStore = (store: BlobStore, ...urls: string[]) => {
      const client = createBeaconClient({ urls }, { kzg, crypto, clock, random: createSeededRandom(1), log: createSilentLogger(), store })
      clients.push(client)
      return client
    }
    const serving = (...numbers: number[]) => node({ '/eth/v1/beacon/blob_sidecars/4': () => ({ data: numbers.map((n) => sidecarOf(n)) }) })

    it('needs no beacon node for blobs it has seen, also after a restart when the node has dropped them', async () => {
      await withStore(await open(), await serving(1, 2)).blobs(at, [hashOf(1), hashOf(2)])
      asked = []
      const gone = await node({ '/eth/v1/beacon/blob_sidecars/4': () => ({ data: [] }) })
      const blobs = await withStore(await open(), gone).blobs(at, [hashOf(2), hashOf(1)])
      assert.deepEqual(
        bytes(blobs),
        [2, 1].map((byte) => [BLOB_BYTES, byte, byte]),
      )
      assert.deepEqual(asked, [])
    })

    it('notices a file that is damaged or cut off, and asks a node again', async () => {
      const url = await serving(1, 2)
      await withStore(await open(), url).blobs(at, [hashOf(1), hashOf(2)])
      const file = (n: number) => join(directory, `${hashOf(n).slice(2)}.blob`)
      await writeFile(file(1), blobOf(7))
      await truncate(file(2), 1000)
      asked = []
      const blobs = await withStore(await open(), url).blobs(at, [hashOf(1), hashOf(2)])
      assert.deepEqual(
        bytes(blobs),
        [1, 2].map((byte) => [BLOB_BYTES, byte, byte]),
      )
      assert.ok(asked.some((path) => path.includes('blob_sidecars')))
    })

    it('keeps a blob that several readers find at the same time', async () => {
      const store = await open()
      await Promise.all(Array.from({ length: 8 }, () => store.put(hashOf(1), blobOf(1))))
      assert.equal(store.count, 1)
      assert.deepEqual(await readdir(directory), [`${hashOf(1).slice(2)}.blob`])
      assert.equal((await store.get(hashOf(1)))?.[0], 1)
    })

    it('keeps to its size and drops the oldest, and what is too old', async () => {
      const store = await open({ maxBytes: 2 * BLOB_BYTES })
      for (const n of [1, 2, 3]) {
        await clock.advance(10_000)
        await store.put(hashOf(n), blobOf(n))
      }
      assert.equal(store.count, 2)
      assert.equal(await store.get(hashOf(1)), null)
      assert.equal((await readdir(directory)).length, 2)
      await clock.advance(55_000)
      const again = await open()
      assert.equal(again.count, 1)
      assert.equal((await again.get(hashOf(3)))?.[0], 3)
    })

    it('continues without the disk when writes fail', async () => {
      const store = await open()
      await rm(directory, { recursive: true })
      assert.equal((await withStore(store, await serving(1)).blobs(at, [hashOf(1)])).length, 1)
      assert.equal(store.count, 0)
    })

    it('leaves no half-written file behind', async () => {
      await writeFile(join(directory, `${hashOf(1).slice(2)}.blob.partial`), 'x')
      assert.equal((await open()).count, 0)
      assert.deepEqual(await readdir(directory), [])
    })
  })

  describe('at the start', () => {
    const DAY = 86_400
    const say = async (ageSec: number, ...urls: string[]) => {
      clock = createManualClock((at.timestampSec + ageSec) * 1000)
      const log = createRecordingLogger()
      const client = createBeaconClient({ urls }, { kzg, crypto, clock, random: createSeededRandom(1), log })
      clients.push(client)
      let over = false
      const said = client.sayRange(at).then(() => {
        over = true
      })
      while (!over) await clock.advance(1000)
      await said
      assert.equal(log.lines.length, 1)
      return log.lines[0]
    }

    it('says whether the blobs needed are still kept, and what to do when they may not be', async () => {
      const url = await node({})
      const recent = await say(10 * DAY, url)
      assert.deepEqual([recent?.level, recent?.fields.ageDays], ['info', 10])
      const old = await say(20 * DAY, url)
      assert.equal(old?.level, 'warn')
      assert.match(String(old?.fields.remedy), /blob archive as a further --l1.beacon/)
      assert.match(String(old?.fields.hosts), /127\.0\.0\.1:\d+ \(at least 18\.2 days\)/)
    })

    it('believes a node that keeps them longer, and says when none can be asked', async () => {
      const archive = await node({
        '/eth/v1/config/spec': () => ({ data: { SECONDS_PER_SLOT: '12', MIN_EPOCHS_FOR_BLOB_SIDECARS_REQUESTS: '400000' } }),
      })
      assert.equal((await say(200 * DAY, await node({}), archive))?.level, 'info')
      assert.match(String((await say(DAY, 'http://127.0.0.1:1'))?.message), /no beacon node says/)
      assert.match(String((await say(DAY))?.message), /no beacon node is configured/)
    })
  })

  it('tells the version of the node', async () => {
    const url = await node({ '/eth/v1/node/version': () => ({ data: { version: 'Sample/v1' } }) })
    assert.equal(await create(url).version(), 'Sample/v1')
  })

  it('makes versioned hashes as EIP-4844 says', () => {
    // The zero blob's commitment is the point at infinity.
    const infinity = Uint8Array.of(0xc0, ...new Uint8Array(47))
    const expected: Hash = toHash('0x010657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014')
    assert.equal(versionedHash(infinity, crypto), expected)
  })
})
