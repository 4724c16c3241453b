/** Requests whose responses are verified before use. They reject only when `signal` aborts. */
import {
  type Account,
  type Bytes32,
  bytesToHex,
  CodecError,
  compareBytes,
  EMPTY_TRIE_ROOT_BYTES,
  equalBytes,
  keccak256,
} from '@keelson/primitives'
import { decodeSlimAccount, encodeTrieAccount, type RangeEntry, verifyRange } from '@keelson/state'
import type { Judgement, PeerPool } from '../peers/peer-pool.ts'
import { LAST_KEY } from './key-range.ts'
import type { AccountRange, SnapPeer, StorageRanges, TrieNodesRequest } from './ports.ts'

export type SnapRequestKind = 'accounts' | 'storages' | 'codes' | 'nodes'
export type SnapPool = PeerPool<SnapPeer, SnapRequestKind>

const RESPONSE_BYTES = 512 * 2 ** 10
/** Two to three KiB of half a MiB. */
const TINY_ITEMS = 16

export interface FetchedAccount {
  readonly hash: Bytes32
  readonly account: Account
}

export interface FetchedAccounts {
  readonly accounts: readonly FetchedAccount[]
  /** More accounts follow the last one. */
  readonly more: boolean
}

export interface AccountQuery {
  readonly root: Bytes32
  readonly origin: Bytes32
  readonly limit: Bytes32
}

export async function fetchAccounts(pool: SnapPool, query: AccountQuery, signal: AbortSignal): Promise<FetchedAccounts> {
  const request = { ...query, bytes: RESPONSE_BYTES }
  const answer = await pool.request(
    { kind: 'accounts', send: (peer, over) => peer.accountRange(request, over), judge: (range) => judgeAccounts(query, range) },
    signal,
  )
  const { accounts, more } = answer.value
  if (more && isTiny(accounts.length) && !reaches(accounts.at(-1)?.hash, query.limit))
    answer.regret(`a range of ${accounts.length} accounts`)
  return answer.value
}

/**
 * Ranges of a few items, each with a valid proof, would make a download last for ever. A peer that sends them rests after each. An
 * honest peer sends as much as fits the request, or what it reads in the time that it has for a response.
 */
function isTiny(items: number): boolean {
  return items < TINY_ITEMS
}

function reaches(last: Bytes32 | undefined, limit: Bytes32): boolean {
  return last !== undefined && compareBytes(last, limit) >= 0
}

function judgeAccounts({ root, origin }: AccountQuery, { accounts, proof }: AccountRange): Judgement<FetchedAccounts> {
  const nothing = accounts.length + proof.length === 0 && !equalBytes(root, EMPTY_TRIE_ROOT_BYTES)
  if (nothing) return { kind: 'useless', reason: `no state ${bytesToHex(root)}` }
  const fetched: FetchedAccount[] = []
  const entries: RangeEntry[] = []
  try {
    for (const { key, value } of accounts) {
      const account = decodeSlimAccount(value)
      fetched.push({ hash: key, account })
      entries.push({ key, value: encodeTrieAccount(account) })
    }
  } catch (error) {
    if (error instanceof CodecError) return { kind: 'invalid', reason: error.message }
    throw error
  }
  const verdict = verifyRange({ root, origin, entries, proof: proof.length === 0 ? null : proof })
  if (!verdict.valid) return { kind: 'invalid', reason: verdict.reason }
  return { kind: 'good', value: { accounts: fetched, more: verdict.more }, items: accounts.length }
}

export interface StorageQuery {
  readonly root: Bytes32
  /** Accounts with storage. */
  readonly accounts: readonly FetchedAccount[]
  readonly origin: Bytes32
  readonly limit: Bytes32
}

export interface FetchedStorages {
  /** One list for each of the first accounts of the query, at least one. */
  readonly slots: readonly (readonly RangeEntry[])[]
  /** More slots of the last of these accounts follow. */
  readonly more: boolean
}

export async function fetchStorages(pool: SnapPool, query: StorageQuery, signal: AbortSignal): Promise<FetchedStorages> {
  const { root, origin, limit } = query
  const request = { root, accounts: query.accounts.map((one) => one.hash), origin, limit, bytes: RESPONSE_BYTES }
  const answer = await pool.request(
    { kind: 'storages', send: (peer, over) => peer.storageRanges(request, over), judge: (ranges) => judgeStorages(query, ranges) },
    signal,
  )
  const { slots, more } = answer.value
  const items = slots.reduce((sum, entries) => sum + entries.length, 0)
  const cut = more && !reaches(slots.at(-1)?.at(-1)?.key, slots.length === 1 ? limit : LAST_KEY)
  if ((cut || slots.length < query.accounts.length) && isTiny(items)) answer.regret(`storages with ${items} slots`)
  return answer.value
}

function judgeStorages({ accounts, origin }: StorageQuery, { slots: found, proof }: StorageRanges): Judgement<FetchedStorages> {
  if (found.length === 0 && proof.length === 0) return { kind: 'useless', reason: 'no such storage' }
  if (found.length > accounts.length) return { kind: 'invalid', reason: `${found.length} storages, expected ${accounts.length} at most` }
  // A proof alone says that no slot is left.
  const slots = found.length === 0 ? [[]] : found
  let more = false
  let items = 0
  for (const [i, entries] of slots.entries()) {
    const { storageRoot } = (accounts[i] as FetchedAccount).account
    const isLast = i === slots.length - 1
    const claim = { root: storageRoot, origin: i === 0 ? origin : new Uint8Array(32), entries }
    const verdict = verifyRange({ ...claim, proof: isLast && proof.length > 0 ? proof : null })
    if (!verdict.valid) return { kind: 'invalid', reason: verdict.reason }
    more = verdict.more
    items += entries.length
  }
  return { kind: 'good', value: { slots, more }, items }
}

/** Some of the codes, one at least. */
export async function fetchCodes(pool: SnapPool, hashes: readonly Bytes32[], signal: AbortSignal): Promise<readonly Uint8Array[]> {
  const wanted = new Set(hashes.map(bytesToHex))
  const answer = await pool.request<readonly Uint8Array[], readonly Uint8Array[]>(
    {
      kind: 'codes',
      send: (peer, over) => peer.byteCodes({ hashes, bytes: RESPONSE_BYTES }, over),
      judge(codes) {
        if (codes.length === 0) return { kind: 'useless', reason: 'none of the codes' }
        if (codes.length > hashes.length) return { kind: 'invalid', reason: `${codes.length} codes, expected ${hashes.length} at most` }
        const found = new Set(codes.map((code) => bytesToHex(keccak256(code))))
        const strange = [...found].some((hash) => !wanted.has(hash))
        return strange ? { kind: 'invalid', reason: 'a code that was not asked for' } : { kind: 'good', value: codes, items: found.size }
      },
    },
    signal,
  )
  return answer.value
}

/** The first of the nodes, one at least. `hashes` are those of all paths in order. */
export async function fetchNodes(
  pool: SnapPool,
  query: Omit<TrieNodesRequest, 'bytes'>,
  hashes: readonly Bytes32[],
  signal: AbortSignal,
): Promise<readonly Uint8Array[]> {
  const answer = await pool.request<readonly Uint8Array[], readonly Uint8Array[]>(
    {
      kind: 'nodes',
      send: (peer, over) => peer.trieNodes({ ...query, bytes: RESPONSE_BYTES }, over),
      judge(nodes) {
        if (nodes.length === 0 || nodes[0]?.length === 0) return { kind: 'useless', reason: 'none of the trie nodes' }
        if (nodes.length > hashes.length) return { kind: 'invalid', reason: `${nodes.length} nodes, expected ${hashes.length} at most` }
        const strange = nodes.some((node, i) => !equalBytes(keccak256(node), hashes[i] as Bytes32))
        return strange ? { kind: 'invalid', reason: 'a node with another hash' } : { kind: 'good', value: nodes, items: nodes.length }
      },
    },
    signal,
  )
  return answer.value
}

/** The account at one address hash; null when the state has none. */
export async function fetchAccount(pool: SnapPool, root: Bytes32, hash: Bytes32, signal: AbortSignal): Promise<FetchedAccount | null> {
  const { accounts } = await fetchAccounts(pool, { root, origin: hash, limit: hash }, signal)
  const [first] = accounts
  return first !== undefined && equalBytes(first.hash, hash) ? first : null
}

export const ALL_SLOTS = { origin: new Uint8Array(32), limit: LAST_KEY } as const
