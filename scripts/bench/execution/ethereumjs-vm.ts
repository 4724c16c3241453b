/** `tuned` uses native recovery, WebAssembly Keccak and all caches; `stock` the defaults. */
import { createHash } from 'node:crypto'
import { createBlockFromRLP } from '@ethereumjs/block'
import { type Common, createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common'
import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { Caches, MerkleStateManager } from '@ethereumjs/statemanager'
import { type BatchDBOp, type DB, ValueEncoding } from '@ethereumjs/util'
import { createVM, runBlock } from '@ethereumjs/vm'
import { type BuiltPayload, decodeStateDiff, encodeBlock, type Hash, hexToBytes, keccak256, payloadToBlock } from '@keelson/primitives'
import type { GenesisState } from '@keelson/state'
import { Level } from 'level'
import secp256k1 from 'secp256k1'
import { decodeNodeChanges } from '../../../packages/state/src/trie/node-changes.ts'
import { Stopwatch, timed } from '../measure.ts'
import type { ImportTimes } from './import-times.ts'

export interface EthereumjsVm {
  importBlock(built: BuiltPayload): Promise<ImportTimes>
  close(): Promise<void>
}

export interface EthereumjsVmOptions {
  readonly directory: string
  readonly chainId: bigint
  readonly stateRoot: Hash
  readonly crypto: 'tuned' | 'stock'
}

const OPS_PER_BATCH = 10_000
const CACHED_TRIE_NODES = 400_000
const CODE_PREFIX = 0x63
const VIEWS = { keyEncoding: 'view', valueEncoding: 'view' } as const

export function ethereumjsCodeKey(codeHash: Uint8Array): Uint8Array {
  return Uint8Array.of(CODE_PREFIX, ...codeHash)
}

export async function openEthereumjsLevel(directory: string): Promise<Level<Uint8Array, Uint8Array>> {
  const level = new Level<Uint8Array, Uint8Array>(directory, { ...VIEWS, cacheSize: 64 * 2 ** 20, writeBufferSize: 16 * 2 ** 20 })
  await level.open()
  return level
}

export async function writeEthereumjsGenesis(directory: string, genesis: GenesisState): Promise<void> {
  const level = new Level<Uint8Array, Uint8Array>(directory, VIEWS)
  let batch: { readonly type: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }[] = []
  const put = async (key: Uint8Array, value: Uint8Array) => {
    batch.push({ type: 'put', key, value })
    if (batch.length < OPS_PER_BATCH) return
    await level.batch(batch)
    batch = []
  }
  for (const rlp of decodeNodeChanges(genesis.computed.nodes).values()) if (rlp !== null) await put(keccak256(rlp), rlp)
  for (const [codeHash, code] of decodeStateDiff(genesis.diff).codes) await put(ethereumjsCodeKey(codeHash), code)
  await level.batch(batch)
  await level.close()
}

export async function openEthereumjsVm(options: EthereumjsVmOptions): Promise<EthereumjsVm> {
  const tuned = options.crypto === 'tuned'
  const level = await openEthereumjsLevel(options.directory)
  const database = createDatabase(level)
  const common = createCommon(options.chainId, tuned)
  const trie = new MerklePatriciaTrie({
    db: database.db,
    root: hexToBytes(options.stateRoot),
    useKeyHashing: true,
    valueEncoding: ValueEncoding.Bytes,
    common,
    ...(tuned ? { cacheSize: CACHED_TRIE_NODES } : {}),
  })
  const stateManager = new MerkleStateManager({ common, trie, ...(tuned ? { caches: new Caches() } : {}) })
  const watch = new Stopwatch<'root'>()
  const getStateRoot = stateManager.getStateRoot.bind(stateManager)
  stateManager.getStateRoot = () => watch.async('root', getStateRoot)
  const vm = await createVM({ common, stateManager })

  return {
    async importBlock({ payload, parentBeaconBlockRoot }) {
      const rlp = encodeBlock(payloadToBlock(payload, parentBeaconBlockRoot))
      watch.reset()
      const began = performance.now()
      const [block, decodeMs] = await timed(() => createBlockFromRLP(rlp, { common }))
      const [, sendersMs] = await timed(() => {
        for (const tx of block.transactions) tx.getSenderAddress()
      })
      const [, runMs] = await timed(() => runBlock(vm, { block, skipHeaderValidation: true }))
      const [, commitMs] = await timed(database.write)
      const rootMs = watch.ms('root')
      return { decodeMs, sendersMs, executionMs: runMs - rootMs, rootMs, commitMs, totalMs: performance.now() - began }
    },
    close: () => level.close(),
  }
}

function createCommon(chainId: bigint, tuned: boolean): Common {
  const customCrypto = {
    keccak256,
    sha256: (data: Uint8Array) => new Uint8Array(createHash('sha256').update(data).digest()),
    ecrecover(digest: Uint8Array, v: bigint, r: Uint8Array, s: Uint8Array): Uint8Array {
      const signature = new Uint8Array(64)
      signature.set(r, 32 - r.length)
      signature.set(s, 64 - s.length)
      return secp256k1.ecdsaRecover(signature, Number(v), digest, false).subarray(1)
    },
  }
  return createCustomCommon({ chainId: Number(chainId) }, Mainnet, { hardfork: Hardfork.Cancun, ...(tuned ? { customCrypto } : {}) })
}

export function createDatabase(level: Level<Uint8Array, Uint8Array>): {
  readonly db: DB<string, string | Uint8Array>
  write(): Promise<void>
} {
  const waiting = new Map<string, Uint8Array | null>()
  const bytes = (hex: string) => hexToBytes(`0x${hex}`)
  const db: DB<string, string | Uint8Array> = {
    async get(key) {
      const written = waiting.get(key)
      return written === undefined ? level.getSync(bytes(key)) : (written ?? undefined)
    },
    async put(key, value) {
      waiting.set(key, value as Uint8Array)
    },
    async del(key) {
      waiting.set(key, null)
    },
    async batch(ops: BatchDBOp<string, string | Uint8Array>[]) {
      for (const op of ops) waiting.set(op.key, op.type === 'put' ? (op.value as Uint8Array) : null)
    },
    shallowCopy: () => db,
    open: () => Promise.resolve(),
  }
  return {
    db,
    async write() {
      const ops = [...waiting].map(([key, value]) =>
        value === null ? ({ type: 'del', key: bytes(key) } as const) : ({ type: 'put', key: bytes(key), value } as const),
      )
      waiting.clear()
      await level.batch(ops)
    },
  }
}
