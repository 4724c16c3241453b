/** Claims are on disk before anything is promised, and kept for longer than any quota window. */
import { type Address, u64ToBytes } from '@keelson/primitives'
import type { KeyValueOp } from '@keelson/runtime'
import type { DurableWrite } from '../group-commit.ts'
import type { FaucetStore } from '../storage/faucet-store.ts'
import { bucketRange, CLAIM_BUCKET, keyIn } from '../store-keys.ts'
import { type Claim, countedAtMs, decodeClaim, encodeClaim, isMined, isSettled } from './claim.ts'

export interface ClaimRecords {
  get(id: number): Claim | undefined
  latestOf(address: Address): Claim | undefined
  byIdempotencyKey(key: string): Claim | undefined
  all(): Iterable<Claim>
  unsettled(): readonly Claim[]
  readonly unsettledCount: number
  /** Paid and reverted claims, except those passed to `finalize` since the start. */
  unfinalized(): readonly Claim[]
  /** No reorg can remove the claim's payment any more. Only remembered until a restart. */
  finalize(claim: Claim): void
  nextId(): number
  reserve(claim: Claim): Promise<void>
  /**
   * Replaces the claim if it is still `before`; otherwise returns false. Visible immediately; a failed write is undone. `through`
   * adds to a larger batch.
   */
  replace(before: Claim, after: Claim, through?: (ops: readonly KeyValueOp[]) => Promise<void>): Promise<boolean>
  prune(nowMs: number): Promise<void>
}

const RETENTION_MS = 48 * 3_600_000

/** Throws FaucetError `apps/faucet-record`. */
export async function openClaimRecords(store: Pick<FaucetStore, 'range'>, write: DurableWrite): Promise<ClaimRecords> {
  const claims = new Map<number, Claim>()
  const latest = new Map<Address, number>()
  const byKey = new Map<string, number>()
  const open = new Set<number>()
  const reversible = new Set<number>()
  let lastId = 0

  const apply = (claim: Claim) => {
    claims.set(claim.id, claim)
    lastId = Math.max(lastId, claim.id)
    if ((latest.get(claim.address) ?? 0) <= claim.id) latest.set(claim.address, claim.id)
    if (claim.idempotencyKey !== null) byKey.set(claim.idempotencyKey, claim.id)
    if (isSettled(claim)) open.delete(claim.id)
    else open.add(claim.id)
    if (isMined(claim)) reversible.add(claim.id)
    else reversible.delete(claim.id)
  }
  const forget = (claim: Claim) => {
    claims.delete(claim.id)
    open.delete(claim.id)
    reversible.delete(claim.id)
    if (latest.get(claim.address) === claim.id) latest.delete(claim.address)
    if (claim.idempotencyKey !== null && byKey.get(claim.idempotencyKey) === claim.id) byKey.delete(claim.idempotencyKey)
  }
  const find = (id: number | undefined) => (id === undefined ? undefined : claims.get(id))
  const keyOf = (id: number) => keyIn(CLAIM_BUCKET, u64ToBytes(BigInt(id)))
  const opsFor = (claim: Claim) => [{ put: keyOf(claim.id), value: encodeClaim(claim) }]

  async function replace(before: Claim, after: Claim, through = write): Promise<boolean> {
    if (claims.get(before.id) !== before) return false
    apply(after)
    try {
      await through(opsFor(after))
    } catch (error) {
      if (claims.get(after.id) === after) apply(before)
      throw error
    }
    return true
  }

  for await (const [, value] of store.range(...bucketRange(CLAIM_BUCKET))) apply(decodeClaim(value))

  return {
    get: (id) => claims.get(id),
    latestOf: (address) => find(latest.get(address)),
    byIdempotencyKey: (key) => find(byKey.get(key)),
    all: () => claims.values(),
    unsettled: () => [...open].map((id) => claims.get(id) as Claim),
    get unsettledCount() {
      return open.size
    },
    unfinalized: () => [...reversible].map((id) => claims.get(id) as Claim),
    finalize({ id }) {
      reversible.delete(id)
    },
    nextId: () => ++lastId,
    async reserve(claim) {
      apply(claim)
      await write(opsFor(claim)).catch((error: unknown) => {
        forget(claim)
        throw error
      })
    },
    replace,
    async prune(nowMs) {
      for (const claim of [...claims.values()]) {
        const isNew = claim.atMs > nowMs && (claim.noticedMs === null || claim.noticedMs > nowMs)
        if (isNew) await replace(claim, { ...claim, noticedMs: nowMs })
      }
      const old = [...claims.values()].filter((claim) => isSettled(claim) && countedAtMs(claim, nowMs) <= nowMs - RETENTION_MS)
      if (old.length === 0) return
      await write(old.map(({ id }) => ({ del: keyOf(id) })))
      for (const claim of old) forget(claim)
    },
  }
}
