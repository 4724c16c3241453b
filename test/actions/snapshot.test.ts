import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  exportSnapshot,
  type ImportResult,
  importSnapshot,
  openDatabase,
  runDatabaseTask,
  type SnapshotManifest,
  type TaskContext,
  type VerifyResult,
} from '@keelson/execution'
import {
  blockToPayload,
  bytesToHex,
  type Hash,
  keccak256Hash,
  outputRootV0,
  type RlpInput,
  rlpDecode,
  rlpEncode,
  rlpList,
  ZERO_HASH,
} from '@keelson/primitives'
import { createSeededRandom, type LevelStore, openLevelStore } from '@keelson/runtime'
import { CHAIN_BUCKETS } from '../../packages/execution/src/chain/keys.ts'
import { decodeChunk, encodeChunk, type SnapshotRecord } from '../../packages/execution/src/db/snapshot/snapshot-format.ts'
import { createSnapshotWriter, readChunk, readManifest } from '../../packages/node/src/commands/db/snapshot-folder.ts'
import { type Journey, runJourney } from '../support/crash-journey.ts'
import { createRecordingStore } from '../support/crash-store.ts'
import { assertWholeState, examine, reopen } from '../support/examine-store.ts'
import { SILENT_LOG } from '../support/execution-world.ts'

const CONTEXT: TaskContext = { signal: new AbortController().signal, report: () => undefined, breathe: async () => undefined }
const TOOLS = { random: createSeededRandom(5), log: SILENT_LOG, snapshotFolder: createSnapshotWriter }
const TAKEN = 12
const BAD = { code: 'execution/bad-snapshot' }

describe('a snapshot', () => {
  let folder: string
  let journey: Journey
  let source: LevelStore
  let manifest: SnapshotManifest

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-snapshot-'))
    source = await openLevelStore({ directory: join(folder, 'source') })
    journey = await runJourney(60, 21, createRecordingStore(source))
    manifest = await exportTo('snapshot')
    assert.ok(manifest.oldestBlock > 0)
  })
  after(async () => {
    await journey.world.stop()
    await source.close()
    await rm(folder, { recursive: true, force: true })
  })
  const exportTo = (name: string, blocks = TAKEN) =>
    exportSnapshot(journey.world.node.database(source), { blocks, chunkBytes: 2_000 }, createSnapshotWriter(join(folder, name)), CONTEXT)
  const rootOf = (number: number): Hash => {
    const { chain } = journey.world.node
    const hash = chain.canonicalHash(number) as Hash
    const header = chain.header(hash)
    assert.ok(header?.withdrawalsRoot)
    return outputRootV0(header.stateRoot, header.withdrawalsRoot, hash)
  }
  interface ImportChange {
    readonly outputRoot?: Hash | null
    readonly manifest?: SnapshotManifest
    readonly read?: (file: string) => Promise<Uint8Array>
    readonly context?: TaskContext
  }
  const importInto = async (store: LevelStore, change: ImportChange = {}): Promise<ImportResult> => {
    const { chainId, chain, genesis } = journey.world
    const { context = CONTEXT, ...rest } = change
    return importSnapshot(
      {
        store,
        manifest,
        chainId,
        genesis: { hash: genesis.hash, header: chain.genesis.header },
        outputRoot: rootOf(manifest.blockNumber),
        rootInHeader: () => true,
        crypto: journey.world.crypto,
        read: (file) => readChunk(join(folder, 'snapshot'), file),
        ...rest,
      },
      context,
    )
  }
  let directories = 0
  const withEmpty = async (work: (store: LevelStore) => Promise<void>) => {
    const store = await openLevelStore({ directory: join(folder, `target-${directories++}`) })
    try {
      await work(store)
    } finally {
      await store.close()
    }
  }

  it('makes a node that continues from its block with the same state, blocks and indexes', () =>
    withEmpty(async (store) => {
      const { node, chain, crypto } = journey.world
      const result = await importInto(store)
      assert.deepEqual([result.blockNumber, result.provenBy, result.blocks], [manifest.blockNumber, manifest.blockNumber, TAKEN])
      const verified = (await runDatabaseTask(
        'verify',
        { full: true },
        await openDatabase(store, SILENT_LOG),
        TOOLS,
        CONTEXT,
      )) as VerifyResult
      assert.deepEqual([verified.problems, verified.blocks], [[], TAKEN])
      const opened = await reopen({ store, chain, crypto })
      await opened.start(new AbortController().signal)
      assert.equal(opened.chain.label('finalized').hash, manifest.blockHash)
      await assertWholeState(store, opened)
      for (let number = manifest.blockNumber + 1; number <= node.chain.label('unsafe').header.number; number++) {
        const block = node.chain.block(node.chain.canonicalHash(number) as Hash)
        assert.ok(block !== null)
        const { payload, parentBeaconBlockRoot } = blockToPayload(block, true)
        assert.equal((await opened.engine.newPayload(payload, parentBeaconBlockRoot)).status, 'VALID')
        await opened.engine.forkchoiceUpdated({ head: block.hash, safe: ZERO_HASH, finalized: ZERO_HASH }, null)
      }
      assert.equal(await examine(opened), node.chain.label('unsafe').hash)
      await opened.settled()
      await assertWholeState(store, opened)
      await opened.stop()
      const again = await exportSnapshot(
        await openDatabase(store, SILENT_LOG),
        { blocks: 100_000 },
        createSnapshotWriter(join(folder, 'again')),
        CONTEXT,
      )
      assert.equal(again.oldestBlock, manifest.oldestBlock)
    }))

  it('is also proven by the output root of a later block, and rejected for any other', () =>
    withEmpty(async (store) => {
      const later = manifest.blockNumber + 3
      const another = importInto(store, { outputRoot: rootOf(manifest.blockNumber - 1) })
      await assert.rejects(another, (error: Error) => /its output root is 0x.* expected 0x/.test(error.message))
      assert.equal((await importInto(store, { outputRoot: rootOf(later) })).provenBy, later)
      await assert.rejects(importInto(store), /holds a chain already/)
    }))

  it('of a whole chain has every block from genesis', () =>
    withEmpty(async (store) => {
      const whole = await exportTo('whole', 1_000)
      const read = (file: string) => readChunk(join(folder, 'whole'), file)
      const result = await importInto(store, { manifest: whole, read, outputRoot: null })
      assert.deepEqual([result.blocks, result.provenBy], [whole.blockNumber + 1, null])
    }))

  it('resumes an interrupted import, and no node opens an incomplete one', () =>
    withEmpty(async (store) => {
      assert.ok(manifest.chunks.length > 5)
      let left = 3
      const breathe = async () => {
        if (--left === 0) throw new Error('stopped')
      }
      await assert.rejects(importInto(store, { context: { ...CONTEXT, breathe } }), /stopped/)
      const { chain, crypto } = journey.world
      await assert.rejects(reopen({ store, chain, crypto }), { code: 'execution/half-imported' })
      await assert.rejects(openDatabase(store, SILENT_LOG), { code: 'execution/half-imported' })
      await assert.rejects(importInto(store, { manifest: { ...manifest, oldestBlock: 0 } }), /import of another snapshot/)
      const read: string[] = []
      await importInto(store, {
        read: (file) => {
          read.push(file)
          return readChunk(join(folder, 'snapshot'), file)
        },
      })
      assert.equal(read.length, manifest.chunks.length - 3)
      assert.equal(await examine(await reopen({ store, chain, crypto })), manifest.blockHash)
    }))

  it('is rejected when a byte of any chunk differs, even with a matching manifest', async () => {
    for (const [index, chunk] of manifest.chunks.entries()) {
      const bytes = await readChunk(join(folder, 'snapshot'), chunk.file)
      const at = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) + 4
      bytes[at] = (bytes[at] as number) ^ 1
      const read = async (file: string) => (file === chunk.file ? bytes : readChunk(join(folder, 'snapshot'), file))
      await withEmpty((store) => assert.rejects(importInto(store, { read }), BAD))
      const chunks = manifest.chunks.map((other, i) => (i === index ? { ...other, hash: keccak256Hash(bytes) } : other))
      await withEmpty((store) => assert.rejects(importInto(store, { read, manifest: { ...manifest, chunks } })))
    }
  })

  it('is rejected when the withdrawals of a block, which no hash covers, are changed', async () => {
    const withdrawal: RlpInput = [0n, 0n, new Uint8Array(20), 0n]
    for (const withdrawals of [[], [[]], [[withdrawal]]] as RlpInput[][]) {
      let changed = 0
      const changeOf = (bytes: Uint8Array) =>
        encodeChunk(
          [...decodeChunk(bytes)].map(([key, value]): SnapshotRecord => {
            if (key[0] !== CHAIN_BUCKETS.body) return [key, value]
            const body = rlpEncode([rlpList(rlpDecode(value), 'body')[0] as RlpInput, ...withdrawals])
            if (bytesToHex(body) !== bytesToHex(value)) changed++
            return [key, body]
          }),
        )
      const files = new Map<string, Uint8Array>()
      for (const { file } of manifest.chunks) files.set(file, changeOf(await readChunk(join(folder, 'snapshot'), file)))
      const chunks = manifest.chunks.map((chunk) => {
        const bytes = files.get(chunk.file) as Uint8Array
        return { ...chunk, bytes: bytes.length, hash: keccak256Hash(bytes) }
      })
      const read = async (file: string) => files.get(file) as Uint8Array
      await withEmpty(async (store) => {
        const importing = importInto(store, { read, manifest: { ...manifest, chunks } })
        if (changed === 0) await importing
        else await assert.rejects(importing, BAD)
      })
    }
  })

  it('of another chain, format or structure is rejected, as is a folder without a manifest', async () => {
    await withEmpty(async (store) => {
      await assert.rejects(importInto(store, { manifest: { ...manifest, chainId: '10' } }), BAD)
      await assert.rejects(importInto(store, { manifest: { ...manifest, headers: manifest.headers.slice(1) } }), BAD)
      await assert.rejects(importInto(store, { manifest: { ...manifest, messagePasserStorageRoot: ZERO_HASH } }), BAD)
    })
    assert.deepEqual(await readManifest(join(folder, 'snapshot')), manifest)
    const path = join(folder, 'snapshot', 'manifest.json')
    const text = await readFile(path, 'utf8')
    for (const bad of ['{', '{}', JSON.stringify({ ...manifest, formatVersion: 2 }), text.replace('000000.chunk', '../../etc/passwd')]) {
      await writeFile(path, bad)
      await assert.rejects(readManifest(join(folder, 'snapshot')), BAD)
    }
    await writeFile(path, text)
    await assert.rejects(readManifest(folder), { code: 'node/usage' })
  })

  it('with a field of another form in its manifest is rejected by name', async () => {
    const path = join(folder, 'snapshot', 'manifest.json')
    const text = await readFile(path, 'utf8')
    const [chunk] = manifest.chunks
    for (const fields of [
      { chunks: [null] },
      { chunks: [{ ...chunk, bytes: -1 }] },
      { chunks: [{ ...chunk, hash: '0x00' }] },
      { chunks: [{ ...chunk, file: ['000000.chunk'] }] },
      { headers: [5] },
      { headers: ['no hex'] },
      { oldestBlock: -1 },
      { oldestBlock: manifest.blockNumber + 1 },
      { blockNumber: 1e300 },
    ]) {
      await writeFile(path, JSON.stringify({ ...manifest, ...fields }))
      await assert.rejects(readManifest(join(folder, 'snapshot')), BAD)
    }
    await writeFile(path, text)
    await withEmpty(async (store) => {
      await assert.rejects(importInto(store, { manifest: { ...manifest, headers: ['0x01'] } }), BAD)
    })
  })

  it('is not read from devices, nor beyond the sizes that its manifest names', async () => {
    const place = join(folder, 'devices')
    await mkdir(place)
    await symlink('/dev/zero', join(place, 'manifest.json'))
    await assert.rejects(readManifest(place), { code: 'node/usage', message: /manifest\.json is not a file/ })
    await rm(join(place, 'manifest.json'))
    await writeFile(join(place, 'manifest.json'), '')
    await truncate(join(place, 'manifest.json'), 2 ** 32)
    await assert.rejects(readManifest(place), { code: 'node/usage', message: /has 4294967296 bytes, at most/ })
    await symlink('/dev/zero', join(place, '000000.chunk'))
    await assert.rejects(readChunk(place, '000000.chunk', 100), { code: 'node/usage', message: /000000\.chunk is not a file/ })
    await writeFile(join(place, '000001.chunk'), '')
    await truncate(join(place, '000001.chunk'), 2 ** 32)
    await assert.rejects(readChunk(place, '000001.chunk', 100), {
      code: 'node/usage',
      message: /it has 4294967296 bytes, the manifest names 100/,
    })
  })

  it('is identical when nothing changed, and keeps existing chunks', async () => {
    const path = join(folder, 'snapshot', '000001.chunk')
    await writeFile(path, 'torn')
    assert.deepEqual(await exportTo('snapshot'), manifest)
    assert.equal((await readFile(path)).length, manifest.chunks[1]?.bytes)
    assert.equal((await readdir(join(folder, 'snapshot'))).length, manifest.chunks.length + 1)
  })
})
