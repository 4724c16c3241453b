/**
 * A state that arrives by hash, in any order and from several blocks. After every write, flat records, tries and root agree, as if
 * the tables held the whole state of a smaller chain; so a download that was killed resumes, and comparing the tries with those of
 * a block finds all that is left to change.
 */
import { type Account, type Bytes32, bytesToHex, EMPTY_TRIE_ROOT_BYTES, keccak256, rlpBytes, rlpDecode } from '@keelson/primitives'
import { decodeFlatAccount, encodeFlatAccount, encodeTrieAccount } from '../account-codec.ts'
import {
  ACCOUNT_NODE_PREFIX,
  BUCKETS,
  bucketKey,
  META_DISK,
  META_DOWNLOAD,
  META_HISTORY,
  metaKey,
  prefixRange,
  storageNodePrefix,
} from '../buckets.ts'
import { keyToBytes } from '../byte-key.ts'
import { encodeDiskMarker } from '../disk/disk-marker.ts'
import { StateError } from '../errors.ts'
import type { KeyValueOp, KeyValueStore } from '../ports.ts'
import type { StateBlock } from '../state-store.ts'
import type { NodeSource } from '../trie/node-source.ts'
import { type TrieWrite, updateTrie } from '../trie/update.ts'
import { decodeDownloadRecord, encodeDownloadRecord } from './download-record.ts'

export interface ReceivedSlot {
  readonly key: Bytes32
  /** A leaf of the trie; null deletes the slot. */
  readonly value: Uint8Array | null
}

export interface ReceivedAccount {
  readonly addressHash: Bytes32
  /** Null deletes the account with its storage. The storage root is that of the slots received so far. */
  readonly account: Omit<Account, 'storageRoot'> | null
  readonly slots: readonly ReceivedSlot[]
}

export interface ReceivedState {
  readonly accounts: readonly ReceivedAccount[]
  readonly codes: readonly Uint8Array[]
  /** Returned by `progress` from now on. */
  readonly progress: Uint8Array
}

export interface StateDownload {
  /** State root of the accounts received so far. */
  readonly root: Bytes32
  readonly progress: Uint8Array
  account(addressHash: Bytes32): Account | null
  hasCode(codeHash: Bytes32): boolean
  readonly accountNodes: NodeSource
  storageNodes(addressHash: Bytes32): NodeSource
  /** Atomic across a crash. An account may appear once. One write at a time. */
  write(received: ReceivedState): Promise<void>
  /** The tables become the state of `block`; `ops` are written with it. Throws `state/bad-download` if their root is another. */
  finish(block: StateBlock, ops?: readonly KeyValueOp[]): Promise<void>
}

const OPS_PER_BATCH = 10_000
const STATE_RECORDS = { from: Uint8Array.of(BUCKETS.account), to: Uint8Array.of(0x40) }

const EMPTY = { root: EMPTY_TRIE_ROOT_BYTES, progress: new Uint8Array(0) }

/** From here on the store holds no state; its records are deleted by `openStateDownload`. */
export async function startStateDownload(store: KeyValueStore, ops: readonly KeyValueOp[] = []): Promise<void> {
  const value = encodeDownloadRecord({ ...EMPTY, cleared: false })
  await store.batch([...ops, { put: metaKey(META_DOWNLOAD), value }, { del: metaKey(META_DISK) }], { sync: true })
}

/** Continues an interrupted download, or starts one. */
export async function openStateDownload(store: KeyValueStore, finished: (block: StateBlock) => void): Promise<StateDownload> {
  const key = metaKey(META_DOWNLOAD)
  if (store.getSync(key) === null) await startStateDownload(store)
  if (!decodeDownloadRecord(store.getSync(key) as Uint8Array).cleared) await clear(store)
  return new TableDownload(store, finished)
}

async function clear(store: KeyValueStore): Promise<void> {
  let ops: KeyValueOp[] = []
  for await (const [key] of store.range(STATE_RECORDS.from, STATE_RECORDS.to)) {
    ops.push({ del: key })
    if (ops.length < OPS_PER_BATCH) continue
    await store.batch(ops)
    ops = []
  }
  await store.batch([
    ...ops,
    { del: metaKey(META_HISTORY) },
    { put: metaKey(META_DOWNLOAD), value: encodeDownloadRecord({ ...EMPTY, cleared: true }) },
  ])
}

class TableDownload implements StateDownload {
  root: Bytes32
  progress: Uint8Array
  readonly accountNodes: NodeSource
  private readonly store: KeyValueStore
  private readonly finished: (block: StateBlock) => void

  constructor(store: KeyValueStore, finished: (block: StateBlock) => void) {
    this.store = store
    this.finished = finished
    const { root, progress } = decodeDownloadRecord(store.getSync(metaKey(META_DOWNLOAD)) as Uint8Array)
    this.root = root
    this.progress = progress
    this.accountNodes = this.nodesAt(ACCOUNT_NODE_PREFIX)
  }

  account(addressHash: Bytes32): Account | null {
    const record = this.store.getSync(bucketKey(BUCKETS.account, addressHash))
    return record === null ? null : decodeFlatAccount(record)
  }

  hasCode(codeHash: Bytes32): boolean {
    return this.store.getSync(bucketKey(BUCKETS.code, codeHash)) !== null
  }

  storageNodes(addressHash: Bytes32): NodeSource {
    return this.nodesAt(storageNodePrefix(addressHash))
  }

  private nodesAt(prefix: string): NodeSource {
    return { node: (path) => this.store.getSync(keyToBytes(prefix + path)) }
  }

  async write({ accounts, codes, progress }: ReceivedState): Promise<void> {
    const ops: KeyValueOp[] = codes.map((code) => ({ put: bucketKey(BUCKETS.code, keccak256(code)), value: code }))
    const leaves: TrieWrite[] = []
    for (const received of accounts) {
      const { addressHash, account } = received
      const put = bucketKey(BUCKETS.account, addressHash)
      if (account === null) {
        await this.deleteStorage(addressHash, ops)
        ops.push({ del: put })
        leaves.push({ key: addressHash, value: null })
        continue
      }
      const full = { ...account, storageRoot: this.writeSlots(received, ops) }
      ops.push({ put, value: encodeFlatAccount(full) })
      leaves.push({ key: addressHash, value: encodeTrieAccount(full) })
    }
    const { root, nodes } = updateTrie(this.accountNodes, this.root, leaves, ACCOUNT_NODE_PREFIX)
    pushNodes(nodes, ops)
    ops.push({ put: metaKey(META_DOWNLOAD), value: encodeDownloadRecord({ cleared: true, root, progress }) })
    await this.store.batch(ops)
    this.root = root
    this.progress = progress
  }

  private writeSlots({ addressHash, slots }: ReceivedAccount, ops: KeyValueOp[]): Bytes32 {
    const before = this.account(addressHash)?.storageRoot ?? EMPTY_TRIE_ROOT_BYTES
    if (slots.length === 0) return before
    for (const { key, value } of slots) {
      const put = bucketKey(BUCKETS.slot, addressHash, key)
      ops.push(value === null ? { del: put } : { put, value: rlpBytes(rlpDecode(value), 'storage value') })
    }
    const { root, nodes } = updateTrie(this.storageNodes(addressHash), before, slots, storageNodePrefix(addressHash))
    pushNodes(nodes, ops)
    return root
  }

  private async deleteStorage(addressHash: Bytes32, ops: KeyValueOp[]): Promise<void> {
    for (const bucket of [BUCKETS.slot, BUCKETS.storageNode]) {
      const { from, to } = prefixRange(bucketKey(bucket, addressHash))
      for await (const [key] of this.store.range(from, to)) ops.push({ del: key })
    }
  }

  async finish(block: StateBlock, ops: readonly KeyValueOp[] = []): Promise<void> {
    const root = bytesToHex(this.root)
    if (root !== block.stateRoot) {
      const message = `the state received has the root ${root}; block ${block.number} has ${block.stateRoot}`
      throw new StateError('state/bad-download', 'critical', message, { block: block.number })
    }
    const marker = { put: metaKey(META_DISK), value: encodeDiskMarker(block) }
    await this.store.batch([...ops, marker, { del: metaKey(META_DOWNLOAD) }], { sync: true })
    this.finished(block)
  }
}

function pushNodes(nodes: ReadonlyMap<string, Uint8Array | null>, ops: KeyValueOp[]): void {
  for (const [key, rlp] of nodes) ops.push(rlp === null ? { del: keyToBytes(key) } : { put: keyToBytes(key), value: rlp })
}
