/** Fetches accounts with their storages in ranges, and large storages in ranges of their own. */
import { type Bytes32, compareBytes, EMPTY_TRIE_ROOT_BYTES, equalBytes } from '@keelson/primitives'
import type { RangeEntry, ReceivedAccount } from '@keelson/state'
import { type KeyRange, keyAfter, splitKeys } from './key-range.ts'
import { runTasks, type TaskSource } from './run-tasks.ts'
import type { LargeStorage, SnapProgress } from './snap-progress.ts'
import { ALL_SLOTS, type FetchedAccount, fetchAccount, fetchAccounts, fetchStorages, type SnapPool } from './snap-requests.ts'
import type { StateWriter } from './state-writer.ts'

export interface RangeSync {
  readonly pool: SnapPool
  readonly progress: SnapProgress
  readonly writer: StateWriter
}

const PARALLEL_TASKS = 8
const STORAGES_PER_REQUEST = 128
const STORAGE_PARTS = 16

/** Resolves when nothing is left to fetch in ranges; rejects when `signal` aborts because the root is out of date. */
export async function syncRanges(sync: RangeSync, root: Bytes32, signal: AbortSignal): Promise<void> {
  const { accounts, storages } = sync.progress
  const source: TaskSource<KeyRange> = {
    next: (busy) => storages.flatMap((storage) => storage.ranges).find((one) => !busy.has(one)) ?? accounts.find((one) => !busy.has(one)),
    run(range, poke, over) {
      const storage = storages.find((one) => one.ranges.includes(range))
      return storage === undefined ? syncAccounts(sync, { range, root, poke }, over) : syncStorage(sync, { storage, range, root }, over)
    },
  }
  await runTasks(source, PARALLEL_TASKS, signal)
}

interface AccountTask {
  readonly range: KeyRange
  readonly root: Bytes32
  readonly poke: () => void
}

async function syncAccounts(sync: RangeSync, task: AccountTask, signal: AbortSignal): Promise<void> {
  const { range, root } = task
  for (let done = false; !done; ) {
    const { accounts, more } = await fetchAccounts(sync.pool, { root, origin: range.next, limit: range.last }, signal)
    const own = accounts.filter((one) => compareBytes(one.hash, range.last) <= 0)
    done = !more || own.length < accounts.length || equalBytes(own.at(-1)?.hash ?? range.last, range.last)
    await storeAccounts(sync, task, own, done, signal)
  }
}

/** Writes the accounts in pieces, each with the storages of one response. */
async function storeAccounts(
  { pool, progress, writer }: RangeSync,
  { range, root, poke }: AccountTask,
  accounts: readonly FetchedAccount[],
  done: boolean,
  signal: AbortSignal,
): Promise<void> {
  let at = 0
  do {
    const piece = upToStorages(accounts, at, STORAGES_PER_REQUEST)
    const owners = piece.filter(hasStorage)
    const fetched = owners.length === 0 ? null : await fetchStorages(pool, { root, accounts: owners, ...ALL_SLOTS }, signal)
    const slots = new Map<FetchedAccount, readonly RangeEntry[]>(fetched?.slots.map((entries, i) => [owners[i] as FetchedAccount, entries]))
    const unfetched = owners[slots.size]
    const whole = unfetched === undefined ? piece : piece.slice(0, piece.indexOf(unfetched))
    const large = fetched?.more === true ? (owners[slots.size - 1] as FetchedAccount) : null
    at += whole.length
    const finished = done && at === accounts.length
    const received = whole.map((one): ReceivedAccount => ({ addressHash: one.hash, account: one.account, slots: slots.get(one) ?? [] }))
    await writer.write(
      received,
      () => {
        if (large !== null) progress.storages.push(partsOf(large.hash, slots.get(large) as readonly RangeEntry[]))
        const last = whole.at(-1)
        if (finished) remove(progress.accounts, range)
        else if (last !== undefined) range.next = keyAfter(last.hash) as Bytes32
      },
      signal,
    )
    if (large !== null) poke()
  } while (at < accounts.length)
}

function upToStorages(accounts: readonly FetchedAccount[], from: number, max: number): readonly FetchedAccount[] {
  let storages = 0
  let to = from
  while (to < accounts.length && (storages < max || !hasStorage(accounts[to] as FetchedAccount))) {
    if (hasStorage(accounts[to] as FetchedAccount)) storages++
    to++
  }
  return accounts.slice(from, to)
}

function hasStorage({ account }: FetchedAccount): boolean {
  return !equalBytes(account.storageRoot, EMPTY_TRIE_ROOT_BYTES)
}

function partsOf(addressHash: Bytes32, received: readonly RangeEntry[]): LargeStorage {
  return { addressHash, ranges: splitKeys(keyAfter((received.at(-1) as RangeEntry).key) as Bytes32, STORAGE_PARTS) }
}

interface StorageTask {
  readonly storage: LargeStorage
  readonly range: KeyRange
  readonly root: Bytes32
}

async function syncStorage(
  { pool, progress, writer }: RangeSync,
  { storage, range, root }: StorageTask,
  signal: AbortSignal,
): Promise<void> {
  const { addressHash, ranges } = storage
  const finish = () => {
    remove(ranges, range)
    if (ranges.length === 0) remove(progress.storages, storage)
  }
  const found = await fetchAccount(pool, root, addressHash, signal)
  // An account that is gone meanwhile is left to healing.
  if (found === null || !hasStorage(found)) return writer.write([], finish, signal)
  for (let done = false; !done; ) {
    const { slots, more } = await fetchStorages(pool, { root, accounts: [found], origin: range.next, limit: range.last }, signal)
    const entries = slots[0] as readonly RangeEntry[]
    const own = entries.filter((entry) => compareBytes(entry.key, range.last) <= 0)
    const last = own.at(-1)?.key ?? range.last
    done = !more || own.length < entries.length || equalBytes(last, range.last)
    const advance = () => {
      if (done) finish()
      else range.next = keyAfter(last) as Bytes32
    }
    await writer.write([{ addressHash, account: found.account, slots: own }], advance, signal)
  }
}

function remove<T>(list: T[], item: T): void {
  list.splice(list.indexOf(item), 1)
}
