/** Equal states give equal chunks. */
import { bytesToHex, encodeHeader, type Hash, keccak256Hash } from '@keelson/primitives'
import { asCalled, type KeyValueReader } from '@keelson/runtime'
import { messagePasserStorageRoot, readDiskBlock, SNAPSHOT_TABLES } from '@keelson/state'
import { type ChainReader, createChainCaches, openChainReader } from '../../chain/chain-reader.ts'
import { bodyKey, headerKey, receiptsKey } from '../../chain/keys.ts'
import type { Database, TaskContext } from '../database.ts'
import { readOldestBlock } from '../database-verify.ts'
import {
  badSnapshot,
  chunkName,
  encodeChunk,
  headerText,
  SNAPSHOT_FORMAT_VERSION,
  type SnapshotChunk,
  type SnapshotManifest,
  type SnapshotRecord,
} from './snapshot-format.ts'

export interface SnapshotWriter {
  write(file: string, hash: Hash, bytes: Uint8Array): Promise<void>
  finish(manifest: SnapshotManifest): Promise<void>
}

export interface ExportParams {
  readonly blocks: number
  readonly chunkBytes?: number
}

const CHUNK_BYTES = 4 * 2 ** 20

export async function exportSnapshot(
  { store, genesis, chainId }: Database,
  params: ExportParams,
  writer: SnapshotWriter,
  context: TaskContext,
): Promise<SnapshotManifest> {
  const snapshot = store.snapshot()
  try {
    const chain = openChainReader(snapshot, createChainCaches(16), genesis)
    const disk = readDiskBlock(snapshot)
    const header = chain.header(disk.hash)
    if (header === null) throw badSnapshot(`block ${disk.number}, whose state is on disk, is not stored`)
    const first = Math.max(disk.number - params.blocks + 1, readOldestBlock(snapshot) ?? genesis.header.number)
    const chunks: SnapshotChunk[] = []
    for await (const bytes of inChunks(records(snapshot, chain, first, disk.number), params.chunkBytes ?? CHUNK_BYTES)) {
      const chunk = { file: chunkName(chunks.length), bytes: bytes.length, hash: keccak256Hash(bytes) }
      await writer.write(chunk.file, chunk.hash, bytes)
      chunks.push(chunk)
      context.report({ phase: 'chunks', done: chunks.length, of: null, resume: null })
      await context.breathe()
    }
    const manifest: SnapshotManifest = {
      formatVersion: SNAPSHOT_FORMAT_VERSION,
      chainId: chainId.toString(),
      genesisHash: genesis.hash,
      blockNumber: disk.number,
      blockHash: disk.hash,
      messagePasserStorageRoot: bytesToHex(messagePasserStorageRoot(snapshot)) as Hash,
      oldestBlock: first,
      headers: headersFrom(chain, disk.number),
      chunks,
    }
    await writer.finish(manifest)
    return manifest
  } finally {
    await snapshot.close()
  }
}

function headersFrom(chain: ChainReader, first: number): string[] {
  const headers: string[] = []
  for (let number = first; number <= chain.label('unsafe').header.number; number++) {
    const header = chain.header(chain.canonicalHash(number) as Hash)
    if (header !== null) headers.push(headerText(encodeHeader(header)))
  }
  return headers
}

async function* records(reader: KeyValueReader, chain: ChainReader, first: number, last: number): AsyncIterable<SnapshotRecord> {
  for (const bucket of SNAPSHOT_TABLES) yield* reader.range(Uint8Array.of(bucket), Uint8Array.of(bucket + 1))
  const genesis = chain.genesis.header.number
  if (first > genesis) yield* blockRecords(reader, chain, genesis)
  for (let number = first; number <= last; number++) yield* blockRecords(reader, chain, number)
}

function* blockRecords(reader: KeyValueReader, chain: ChainReader, number: number): Iterable<SnapshotRecord> {
  const hash = chain.canonicalHash(number)
  for (const key of hash === null ? [] : [headerKey(hash), bodyKey(hash), receiptsKey(hash)]) {
    const value = reader.getSync(key)
    if (value === null) throw badSnapshot(`block ${number} is not whole; ${asCalled('db verify')} says more`)
    yield [key, value]
  }
}

async function* inChunks(records: AsyncIterable<SnapshotRecord>, chunkBytes: number): AsyncIterable<Uint8Array> {
  let chunk: SnapshotRecord[] = []
  let bytes = 0
  for await (const record of records) {
    chunk.push(record)
    bytes += record[0].length + record[1].length
    if (bytes < chunkBytes) continue
    yield encodeChunk(chunk)
    chunk = []
    bytes = 0
  }
  if (chunk.length > 0) yield encodeChunk(chunk)
}
