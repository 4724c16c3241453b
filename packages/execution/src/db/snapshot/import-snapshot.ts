/**
 * Each chunk is written with the progress, so that an interrupted import resumes. Then the trie is rebuilt to check the state
 * root, and every block is verified.
 */
import { bigintToBytes, bytesToHex, type Crypto, equalBytes, type Hash, type Header, keccak256, keccak256Hash } from '@keelson/primitives'
import type { KeyValueOp, LevelStore } from '@keelson/runtime'
import { BUCKETS, diskMarkerOp, messagePasserStorageRoot, SNAPSHOT_TABLES, walkTables } from '@keelson/state'
import { createChainCaches, openChainReader } from '../../chain/chain-reader.ts'
import { CHAIN_BUCKETS, identityKey, importingKey, labelsKey, logsIndexedFromKey, oldestBlockKey, U64_BYTES } from '../../chain/keys.ts'
import { encodeIdentity, LAYOUT_VERSION } from '../../chain/open-chain.ts'
import { encodeLabels } from '../../chain/records.ts'
import type { TaskContext } from '../database.ts'
import { verifyChain } from '../verify-chain.ts'
import { indexBlocks } from './index-blocks.ts'
import { badSnapshot, decodeChunk, manifestHash, provingOutputRoots, type SnapshotManifest, snapshotHeaders } from './snapshot-format.ts'

export interface ImportInput {
  readonly store: LevelStore
  readonly manifest: SnapshotManifest
  readonly chainId: bigint
  readonly genesis: { readonly hash: Hash; readonly header: Header }
  /** Null when the operator trusts the snapshot. */
  readonly outputRoot: Hash | null
  /** Whether the withdrawals root is the message passer's storage root. */
  readonly rootInHeader: (header: Header) => boolean
  readonly crypto: Crypto
  /** `bytes` is the size in the manifest. */
  read(file: string, bytes: number): Promise<Uint8Array>
}

export interface ImportResult {
  readonly blockNumber: number
  readonly blockHash: Hash
  readonly accounts: number
  readonly blocks: number
  readonly provenBy: number | null
}

const CHUNK_BUCKETS: ReadonlySet<number> = new Set([
  ...SNAPSHOT_TABLES,
  ...['header', 'body', 'receipts'].map((name) => CHAIN_BUCKETS[name] as number),
])
const BY_HASH: ReadonlySet<number> = new Set([BUCKETS.code, BUCKETS.preimage])
const OPS_PER_BATCH = 5_000

/** Throws ExecutionError `execution/bad-snapshot`. */
export async function importSnapshot(input: ImportInput, context: TaskContext): Promise<ImportResult> {
  const { store, manifest, genesis } = input
  if (manifest.chainId !== input.chainId.toString() || manifest.genesisHash !== genesis.hash) {
    throw badSnapshot(
      `it is of chain ${manifest.chainId} with genesis ${manifest.genesisHash}; expected chain ${input.chainId} with genesis ${genesis.hash}`,
    )
  }
  const [header] = snapshotHeaders(manifest) as [Header]
  const provenBy = prove(input)
  await importChunks(input, context)
  const accounts = await rebuildTrie(store, header, manifest, context)
  const blocks = await checkBlocks(input, context)
  await finish(input, header)
  return { blockNumber: header.number, blockHash: manifest.blockHash, accounts, blocks, provenBy }
}

function prove({ manifest, outputRoot, rootInHeader }: ImportInput): number | null {
  const roots = provingOutputRoots(manifest, rootInHeader)
  if (outputRoot === null) return null
  for (const [number, root] of roots) if (root === outputRoot) return number
  throw badSnapshot(
    `its output root is ${roots.get(manifest.blockNumber)} (block ${manifest.blockNumber}); expected ${outputRoot}, which none of its ${roots.size} headers has`,
  )
}

async function importChunks({ store, manifest, read }: ImportInput, context: TaskContext): Promise<void> {
  const id = manifestHash(manifest)
  const done = importedChunks(store, id)
  for (const [i, chunk] of manifest.chunks.entries()) {
    if (i < done) continue
    const bytes = await read(chunk.file, chunk.bytes)
    if (bytes.length !== chunk.bytes || keccak256Hash(bytes) !== chunk.hash) {
      throw badSnapshot(
        `${chunk.file} is not the one its manifest names (${keccak256Hash(bytes)}, expected ${chunk.hash}): fetch it again, then go on with the same command`,
      )
    }
    const ops: KeyValueOp[] = []
    for (const [key, value] of decodeChunk(bytes)) {
      if (!CHUNK_BUCKETS.has(key[0] as number)) throw badSnapshot(`${chunk.file} has a record that does not belong into a snapshot`)
      if (BY_HASH.has(key[0] as number) && !equalBytes(keccak256(value), key.subarray(1)))
        throw badSnapshot(`${chunk.file} has a code that is not that of its hash`)
      ops.push({ put: key, value })
    }
    await store.batch([...ops, { put: importingKey(), value: encodeProgress(id, i + 1) }])
    context.report({ phase: 'chunks', done: i + 1, of: manifest.chunks.length, resume: null })
    await context.breathe()
  }
}

function importedChunks(store: LevelStore, id: Hash): number {
  const raw = store.getSync(importingKey())
  if (raw !== null) {
    const { manifest, chunks } = JSON.parse(new TextDecoder().decode(raw)) as { manifest: string; chunks: number }
    if (manifest === id) return chunks
    throw badSnapshot(
      'the import of another snapshot into this directory was interrupted: resume that one, or start with an empty directory',
    )
  }
  if (store.getSync(identityKey()) !== null) throw badSnapshot('the data directory holds a chain already: give an empty one')
  return 0
}

function encodeProgress(manifest: Hash, chunks: number): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ manifest, chunks }))
}

async function rebuildTrie(store: LevelStore, header: Header, manifest: SnapshotManifest, context: TaskContext): Promise<number> {
  let ops: KeyValueOp[] = []
  const flush = async () => {
    const full = ops
    ops = []
    await store.batch(full)
  }
  const walked = await walkTables(store, {
    node: (put, value) => ops.push({ put, value }),
    problem(addressHash, what) {
      throw badSnapshot(`account ${bytesToHex(addressHash)}: ${what}`)
    },
    async breathe({ accounts }) {
      if (ops.length >= OPS_PER_BATCH) await flush()
      context.report({ phase: 'accounts', done: accounts, of: null, resume: null })
      await context.breathe()
    },
  })
  await flush()
  const root = bytesToHex(walked.root)
  if (root !== header.stateRoot)
    throw badSnapshot(`its accounts have the state root ${root}; block ${header.number} says ${header.stateRoot}`)
  const passer = bytesToHex(messagePasserStorageRoot(store))
  if (passer !== manifest.messagePasserStorageRoot)
    throw badSnapshot(`its message passer has the storage root ${passer}; expected ${manifest.messagePasserStorageRoot}`)
  return walked.accounts
}

async function checkBlocks({ store, manifest, genesis, crypto }: ImportInput, context: TaskContext): Promise<number> {
  const { blockHash, blockNumber, oldestBlock } = manifest
  const problems: string[] = []
  await indexBlocks(store, blockHash, oldestBlock, crypto, context)
  if (oldestBlock > genesis.header.number) await indexBlocks(store, genesis.hash, genesis.header.number, crypto, context)
  await store.batch([{ put: labelsKey(), value: encodeLabels({ head: blockHash, safe: blockHash, finalized: blockHash }) }])
  const chain = openChainReader(store, createChainCaches(16), genesis)
  const blocks = await verifyChain(
    { chain, from: null, blocks: blockNumber + 1, oldest: oldestBlock, problem: (text) => problems.push(text) },
    context,
  )
  if (problems.length > 0) throw badSnapshot(`${problems.length} problems with its blocks, the first: ${problems[0]}`)
  return blocks
}

async function finish({ store, manifest, chainId, genesis }: ImportInput, header: Header): Promise<void> {
  const number = (value: number) => bigintToBytes(BigInt(value), U64_BYTES)
  const whole = manifest.oldestBlock <= genesis.header.number
  await store.batch(
    [
      diskMarkerOp({ hash: manifest.blockHash, number: header.number, stateRoot: header.stateRoot }),
      { put: logsIndexedFromKey(), value: number(manifest.oldestBlock) },
      ...(whole ? [] : [{ put: oldestBlockKey(), value: number(manifest.oldestBlock) }]),
      { put: identityKey(), value: encodeIdentity({ version: LAYOUT_VERSION, chainId, genesisHash: genesis.hash }) },
      { del: importingKey() },
    ],
    { sync: true },
  )
}
