/** L1's answers during a search for the sync start, to continue it after an L1 failure or a restart. */
import { type BlockId, bigintToBytes, bytesToBigint, type Clock, concatBytes, hexToBytes } from '@keelson/primitives'
import type { KeyValueStore } from '@keelson/runtime'
import { BUCKETS } from './buckets.ts'

export interface SyncWalk {
  find(origin: BlockId): 'canonical' | 'reorged' | null
  note(origin: BlockId, state: 'canonical' | 'reorged'): Promise<void>
  end(): Promise<void>
}

const GOOD_FOR_MS = 10 * 60_000
const FIRST = Uint8Array.of(BUCKETS.syncWalk)
const END = Uint8Array.of(BUCKETS.syncWalk + 1)

export function createSyncWalk(store: KeyValueStore, clock: Pick<Clock, 'nowMs'>): SyncWalk {
  const keyOf = (origin: BlockId) => concatBytes(FIRST, hexToBytes(origin.hash))
  return {
    find(origin) {
      const value = store.getSync(keyOf(origin))
      if (value === null || value.length !== 9) return null
      const ageMs = clock.nowMs() - Number(bytesToBigint(value.subarray(1)))
      if (ageMs < 0 || ageMs > GOOD_FOR_MS) return null
      return value[0] === 1 ? 'canonical' : 'reorged'
    },
    note(origin, state) {
      const value = concatBytes(Uint8Array.of(state === 'canonical' ? 1 : 0), bigintToBytes(BigInt(Math.max(0, clock.nowMs())), 8))
      return store.batch([{ put: keyOf(origin), value }])
    },
    async end() {
      const ops: { readonly del: Uint8Array }[] = []
      for await (const [del] of store.range(FIRST, END)) ops.push({ del })
      if (ops.length > 0) await store.batch(ops)
    },
  }
}
