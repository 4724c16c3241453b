/**
 * Fetches the trie nodes in which a block's state differs from the tables, and writes the leaves. Ranges from several blocks end up
 * in the tables while the pivot moves, and accounts change behind the ranges.
 */
import { type Account, type Bytes32, bytesToHex, EMPTY_TRIE_ROOT_BYTES, equalBytes } from '@keelson/primitives'
import { createTurnTaker } from '@keelson/runtime'
import { decodeTrieAccount, hexPrefix, type ReceivedAccount, type ReceivedSlot, type StateDownload } from '@keelson/state'
import { ExecutionError } from '../../errors.ts'
import { fetchNodes, type SnapPool } from './snap-requests.ts'
import type { StateWriter } from './state-writer.ts'
import { diffNode, keysBelow, type LocalTrie, type WantedNode } from './trie-diff.ts'

const EMPTY_PATH = new Uint8Array(0)

export interface Healing {
  readonly pool: SnapPool
  readonly download: StateDownload
  readonly writer: StateWriter
  readonly counts: { nodes: number }
}

interface Owner {
  readonly hash: Bytes32
  readonly account: Account
}

interface WantedTrieNode extends WantedNode {
  /** Null for the trie of accounts. */
  readonly owner: Owner | null
}

const NODES_PER_REQUEST = 384
const PARALLEL_REQUESTS = 4
const CHANGES_PER_WRITE = 2_048

/** Rejects when `signal` aborts because the root is out of date. */
export async function heal(healing: Healing, root: Bytes32, signal: AbortSignal): Promise<void> {
  // Accounts that an interrupted walk wrote are equal at the next one, which finds what is left.
  while (!equalBytes(healing.download.root, root)) {
    const before = healing.download.root
    await new Walk(healing, root, signal).run()
    if (equalBytes(healing.download.root, before)) throw stuck(before, root)
  }
}

class Walk {
  private readonly healing: Healing
  private readonly root: Bytes32
  private readonly signal: AbortSignal
  /** The last is the next, so that the list stays short. */
  private readonly wanted: WantedTrieNode[] = []
  private readonly changes = new Map<
    string,
    { readonly owner: Bytes32; readonly account: Account | null; readonly slots: ReceivedSlot[] }
  >()
  private changed = 0
  private readonly turn = createTurnTaker()

  constructor(healing: Healing, root: Bytes32, signal: AbortSignal) {
    this.healing = healing
    this.root = root
    this.signal = signal
  }

  async run(): Promise<void> {
    if (equalBytes(this.root, EMPTY_TRIE_ROOT_BYTES)) this.deleteAll()
    else this.wanted.push({ owner: null, path: EMPTY_PATH, hash: this.root })
    while (this.wanted.length > 0) {
      const requests: WantedTrieNode[][] = []
      while (requests.length < PARALLEL_REQUESTS && this.wanted.length > 0) requests.push(this.wanted.splice(-NODES_PER_REQUEST))
      const responses = await Promise.all(requests.map((request) => this.fetch(request)))
      for (const [i, nodes] of responses.entries()) await this.take(requests[i] as WantedTrieNode[], nodes)
      if (this.changed >= CHANGES_PER_WRITE) await this.flush()
    }
    await this.flush()
  }

  private fetch(wanted: readonly WantedTrieNode[]): Promise<readonly Uint8Array[]> {
    const paths: Uint8Array[][] = []
    let last: Owner | null = null
    for (const { owner, path } of wanted) {
      const compact = hexPrefix(path, false)
      if (owner === null) paths.push([compact])
      else if (owner === last) paths.at(-1)?.push(compact)
      else paths.push([owner.hash, compact])
      last = owner
    }
    const hashes = wanted.map((one) => one.hash)
    return fetchNodes(this.healing.pool, { root: this.root, paths }, hashes, this.signal)
  }

  private async take(wanted: readonly WantedTrieNode[], nodes: readonly Uint8Array[]): Promise<void> {
    this.healing.counts.nodes += nodes.length
    for (const [i, one] of wanted.entries()) {
      const rlp = nodes[i]
      if (rlp === undefined) this.wanted.push(one)
      else if (one.owner === null) this.takeAccounts(one, rlp)
      else this.takeSlots(one, one.owner, rlp)
      await this.turn()
    }
  }

  private takeAccounts({ path }: WantedNode, rlp: Uint8Array): void {
    const { download } = this.healing
    const { missing, put, deleted } = diffNode({ source: download.accountNodes, root: download.root }, path, rlp)
    for (const one of missing) this.wanted.push({ ...one, owner: null })
    for (const key of deleted) this.change(key, null)
    for (const { key, value } of put) this.takeAccount({ hash: key, account: decodeTrieAccount(value) })
  }

  private takeAccount(owner: Owner): void {
    const { storageRoot } = owner.account
    const local = this.localStorage(owner)
    const { slots } = this.change(owner.hash, owner.account)
    if (equalBytes(local.root, storageRoot)) return
    if (equalBytes(storageRoot, EMPTY_TRIE_ROOT_BYTES)) {
      for (const key of keysBelow(local, EMPTY_PATH)) slots.push({ key, value: null })
      return
    }
    this.wanted.push({ owner, path: EMPTY_PATH, hash: storageRoot })
  }

  private takeSlots({ path }: WantedNode, owner: Owner, rlp: Uint8Array): void {
    const { missing, put, deleted } = diffNode(this.localStorage(owner), path, rlp)
    for (const one of missing) this.wanted.push({ ...one, owner })
    if (put.length + deleted.length === 0) return
    const { slots } = this.change(owner.hash, owner.account)
    for (const key of deleted) slots.push({ key, value: null })
    slots.push(...put)
    this.changed += put.length + deleted.length
  }

  private localStorage({ hash }: Owner): LocalTrie {
    const { download } = this.healing
    return { source: download.storageNodes(hash), root: download.account(hash)?.storageRoot ?? EMPTY_TRIE_ROOT_BYTES }
  }

  private deleteAll(): void {
    const { download } = this.healing
    for (const key of keysBelow({ source: download.accountNodes, root: download.root }, EMPTY_PATH)) this.change(key, null)
  }

  private change(owner: Bytes32, account: Account | null) {
    const key = bytesToHex(owner)
    let change = this.changes.get(key)
    if (change === undefined) {
      change = { owner, account, slots: [] }
      this.changes.set(key, change)
      this.changed++
    }
    return change
  }

  private async flush(): Promise<void> {
    const received = [...this.changes.values()].map(
      ({ owner, account, slots }): ReceivedAccount => ({ addressHash: owner, account, slots }),
    )
    this.changes.clear()
    this.changed = 0
    if (received.length > 0) await this.healing.writer.write(received, () => undefined, this.signal)
  }
}

function stuck(root: Bytes32, wanted: Bytes32): ExecutionError {
  const text = `healing changes nothing, but the state has the root ${bytesToHex(root)}, expected ${bytesToHex(wanted)}`
  return new ExecutionError('execution/corrupt-record', `${text}: start with an empty data directory`)
}
