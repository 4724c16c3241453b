/** Answers as go-ethereum does where the specification leaves a choice: its clients expect them. */
import { type Bytes32, compareBytes, EMPTY_BYTES } from '@keelson/primitives'
import { hexPrefixNibbles, type RangeEntry, slimAccount, type TrieRanges } from '@keelson/state'
import type {
  AccountRange,
  AccountRangeRequest,
  ByteCodesRequest,
  StorageRanges,
  StorageRangesRequest,
  TrieNodesRequest,
} from '../../sync/snap/ports.ts'
import type { ServeTime } from '../requests/serve-time.ts'
import type { ServedStates } from './served-states.ts'

const HASH_BYTES = 32
/** A range may exceed its limit by this share, so that a storage that nearly fits is whole. */
const SLACK = 1.1
const FIRST_KEY = new Uint8Array(HASH_BYTES)
const NOTHING = { accounts: [], slots: [], proof: [] }

export async function serveAccountRange(states: ServedStates, request: AccountRangeRequest, time: ServeTime): Promise<AccountRange> {
  const { origin, limit, bytes } = request
  const trie = states.at(request.root)?.accounts
  if (trie === undefined) return NOTHING
  const accounts: RangeEntry[] = []
  let size = 0
  for (const { key, value } of trie.entries(origin)) {
    const slim = slimAccount(value)
    accounts.push({ key, value: slim })
    size += HASH_BYTES + slim.length
    if (compareBytes(key, limit) >= 0 || size > bytes || time.isOver()) break
    await time.turn()
  }
  return { accounts, proof: trie.prove(origin, accounts.at(-1)?.key ?? null) }
}

export async function serveStorageRanges(states: ServedStates, request: StorageRangesRequest, time: ServeTime): Promise<StorageRanges> {
  const state = states.at(request.root)
  if (state === null) return NOTHING
  const slots: RangeEntry[][] = []
  let size = 0
  for (const [i, account] of request.accounts.entries()) {
    if (i > 0 && (size >= request.bytes || time.isOver())) break
    await time.turn()
    const trie = state.storage(account)
    if (trie === null) continue
    const bounds = i === 0 ? request : { origin: FIRST_KEY, limit: null }
    const range = await readSlots(trie, { ...bounds, bytes: Math.max(1, request.bytes * SLACK - size) }, time)
    size += range.size
    if (range.entries.length > 0) slots.push(range.entries)
    const fromStart = compareBytes(bounds.origin, FIRST_KEY) === 0
    // A proof ends the response, because it applies to the last range.
    if (!fromStart || range.cut) return { slots, proof: trie.prove(bounds.origin, range.entries.at(-1)?.key ?? null) }
  }
  return { slots, proof: [] }
}

interface SlotBounds {
  readonly origin: Bytes32
  readonly limit: Bytes32 | null
  readonly bytes: number
}

async function readSlots(trie: TrieRanges, { origin, limit, bytes }: SlotBounds, time: ServeTime) {
  const entries: RangeEntry[] = []
  let size = 0
  for (const entry of trie.entries(origin)) {
    const last = entries.at(-1)
    const full = size >= bytes || (last !== undefined && time.isOver())
    if (full || (last !== undefined && limit !== null && compareBytes(last.key, limit) >= 0)) return { entries, size, cut: true }
    entries.push(entry)
    size += HASH_BYTES + entry.value.length
    await time.turn()
  }
  return { entries, size, cut: false }
}

export async function serveByteCodes(states: ServedStates, { hashes, bytes }: ByteCodesRequest, time: ServeTime): Promise<Uint8Array[]> {
  const codes: Uint8Array[] = []
  let size = 0
  for (const hash of hashes) {
    await time.turn()
    const code = states.code(hash)
    if (code !== null) codes.push(code)
    size += code?.length ?? 0
    if (size > bytes || time.isOver()) break
  }
  return codes
}

/** A path without a node of its own is answered with empty bytes. */
export async function serveTrieNodes(states: ServedStates, request: TrieNodesRequest, time: ServeTime): Promise<Uint8Array[]> {
  const state = states.at(request.root)
  const nodes: Uint8Array[] = []
  let size = 0
  if (state === null) return nodes
  for (const [first, ...below] of request.paths) {
    const path = first as Uint8Array
    const ofAccounts = below.length === 0
    await time.turn()
    const trie = ofAccounts ? state.accounts : path.length === HASH_BYTES ? state.storage(path) : null
    if (time.isOver()) return nodes
    if (trie === null) continue
    for (const compact of ofAccounts ? [path] : below) {
      const node = (compact.length === 0 ? null : trie.node(hexPrefixNibbles(compact))) ?? EMPTY_BYTES
      nodes.push(node)
      size += node.length
      if (size > request.bytes || time.isOver()) return nodes
      await time.turn()
    }
  }
  return nodes
}
