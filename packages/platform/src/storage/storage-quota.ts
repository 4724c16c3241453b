/** What requests may store: by user, by address and network a day, and in the whole database. */
import type { Clock, Logger } from '@keelson/primitives'
import { createLogThrottle, customerOf } from '@keelson/runtime'
import { sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { ApiError } from '../http/api-error.ts'
import type { RateLimitStore } from '../http/rate-limit-store.ts'
import { type RateLimit, scaledLimit } from '../http/rate-limits.ts'
import type { Database } from './database.ts'

export interface StorageQuotaOptions {
  /** Ceiling of the whole database, with its indexes. */
  readonly maxBytes: number
  readonly limitScale: number
}

export interface StorageQuotaDependencies {
  readonly db: Database
  readonly limits: RateLimitStore
  readonly clock: Clock
  readonly log: Logger
  /** Free bytes of the disk that the database shares with others; null for a database elsewhere. */
  readonly freeDiskBytes: (() => Promise<number>) | null
}

export interface Storer {
  readonly userId: number | null
  readonly subscriber: string
}

export interface StorageQuota {
  /** Throws ApiError 400 for a user at the quota, 429 for an address or network, and 503 at the ceiling. */
  admit(storer: Storer, bytes: number): Promise<void>
}

const MEBIBYTE = 1024 * 1024
export const DEFAULT_MAX_STORED_BYTES = 10 * 1024 * MEBIBYTE
const DAY_MS = 86_400_000
const KIB = 1024
/** What a row and its index entries take besides the content. Counting it makes the byte quotas limit the number of rows too. */
const BYTES_OF_A_ROW = 512
export const MAX_BYTES_OF_USER = 64 * MEBIBYTE
/** `requests` are KiB here: as many at once, and as many in each day after. */
export const BYTES_OF_ADDRESS: RateLimit = { requests: 64 * KIB, windowMs: DAY_MS }
export const BYTES_OF_NETWORK: RateLimit = { requests: 256 * KIB, windowMs: DAY_MS }
/**
 * Taken from a user's quota at once, because every change of it costs a commit. What an instance took and did not use before it ended
 * comes back when the user's rows are counted again.
 */
const RESERVED_BYTES = 64 * KIB
const MAX_RESERVING_USERS = 10_000
/** With less free space, requests that store data are refused, because other roles on the machine need the rest. */
export const MIN_FREE_DISK_BYTES = 2 * 1024 * MEBIBYTE
const MEASURE_EVERY_MS = 10_000
const RECOUNT: RateLimit = { requests: 1, windowMs: 60_000 }
const RETRY_AFTER_SEC = '600'

export function createStorageQuota(options: StorageQuotaOptions, deps: StorageQuotaDependencies): StorageQuota {
  return new MeasuredStorageQuota(options, deps)
}

class MeasuredStorageQuota implements StorageQuota {
  readonly #options: StorageQuotaOptions
  readonly #deps: StorageQuotaDependencies
  readonly #throttle: (write: (suppressed: number) => void) => void
  /** Bytes by user id, taken from the quota and not used yet. */
  readonly #reserved = new LRUCache<number, number>({ max: MAX_RESERVING_USERS })
  #measured: Promise<void> | null = null
  #measuredMs = Number.NEGATIVE_INFINITY
  /** Bytes in the database at the last measurement, and what was admitted since. */
  #usedBytes = 0
  #freeBytes = Number.POSITIVE_INFINITY

  constructor(options: StorageQuotaOptions, deps: StorageQuotaDependencies) {
    this.#options = options
    this.#deps = deps
    this.#throttle = createLogThrottle(deps.clock)
  }

  async admit({ userId, subscriber }: Storer, bodyBytes: number): Promise<void> {
    const bytes = bodyBytes + BYTES_OF_A_ROW
    await this.#requireRoom(bytes)
    await this.#takeOfDay(`stored by ${subscriber}`, BYTES_OF_ADDRESS, 'address', bytes)
    await this.#takeOfDay(`stored in ${customerOf(subscriber)}`, BYTES_OF_NETWORK, 'network', bytes)
    if (userId !== null) await this.#takeOfUser(userId, bytes)
    this.#usedBytes += bytes
    this.#freeBytes -= bytes
  }

  async #requireRoom(bytes: number): Promise<void> {
    await this.#measure()
    const { maxBytes } = this.#options
    const isFull = this.#usedBytes + bytes > maxBytes
    if (!isFull && this.#freeBytes - bytes >= MIN_FREE_DISK_BYTES) return
    const reason = isFull
      ? `the database has reached --storage.max-bytes (${maxBytes})`
      : `the disk has less than ${MIN_FREE_DISK_BYTES / MEBIBYTE} MiB free`
    this.#throttle((suppressed) => this.#deps.log.error('refusing to store: raise the limit or free space', { reason, suppressed }))
    throw new ApiError(
      503,
      'The store of this platform is full: reading goes on, and nothing new is stored until its operator makes room',
      {
        headers: { 'retry-after': RETRY_AFTER_SEC },
      },
    )
  }

  async #measure(): Promise<void> {
    const nowMs = this.#deps.clock.monotonicMs()
    if (this.#measured === null && nowMs - this.#measuredMs >= MEASURE_EVERY_MS) {
      this.#measuredMs = nowMs
      this.#measured = this.#read().finally(() => {
        this.#measured = null
      })
    }
    await this.#measured
  }

  async #read(): Promise<void> {
    const answer = await this.#deps.db.execute(sql`select pg_database_size(current_database())::text as bytes`)
    this.#usedBytes = Number((answer as unknown as { readonly rows: readonly { readonly bytes: string }[] }).rows[0]?.bytes ?? 0)
    this.#freeBytes = (await this.#deps.freeDiskBytes?.()) ?? Number.POSITIVE_INFINITY
  }

  async #takeOfDay(key: string, unscaled: RateLimit, whose: string, bytes: number): Promise<void> {
    const limit = scaledLimit(unscaled, this.#options.limitScale)
    const { allowed, retryAfterMs } = await this.#deps.limits.take(key, limit, bytes / KIB)
    if (allowed) return
    const perDay = Math.round(limit.requests / KIB)
    throw new ApiError(429, `This ${whose} has stored ${perDay} MiB within a day, which is the limit: try again later`, {
      headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) },
    })
  }

  async #takeOfUser(userId: number, bytes: number): Promise<void> {
    if (this.#useReserved(userId, bytes)) return
    if (await this.#reserve(userId, bytes)) return
    // What was deleted since is not known before it is counted.
    const { allowed } = await this.#deps.limits.take(`count what user ${userId} stores`, RECOUNT)
    if (allowed) {
      this.#reserved.delete(userId)
      await this.#recount(userId)
      if (await this.#reserve(userId, bytes)) return
    }
    throw new ApiError(400, `A user may store ${MAX_BYTES_OF_USER / MEBIBYTE} MiB: delete sessions with their conversations`)
  }

  #useReserved(userId: number, bytes: number): boolean {
    const left = (this.#reserved.get(userId) ?? 0) - bytes
    if (left < 0) return false
    this.#reserved.set(userId, left)
    return true
  }

  /** Takes more than `bytes` while the quota has it. */
  async #reserve(userId: number, bytes: number): Promise<boolean> {
    if (!(await this.#add(userId, bytes + RESERVED_BYTES))) return this.#add(userId, bytes)
    this.#reserved.set(userId, (this.#reserved.get(userId) ?? 0) + RESERVED_BYTES)
    return true
  }

  async #add(userId: number, bytes: number): Promise<boolean> {
    const answer = await this.#deps.db.execute(sql`
      update users set stored_bytes = stored_bytes + ${Math.ceil(bytes)}
      where id = ${userId} and stored_bytes + ${Math.ceil(bytes)} <= ${MAX_BYTES_OF_USER} returning id`)
    return (answer as unknown as { readonly rows: readonly unknown[] }).rows.length > 0
  }

  async #recount(userId: number): Promise<void> {
    const size = sql`sum(pg_column_size(t.*) + ${BYTES_OF_A_ROW})`
    await this.#deps.db.execute(sql`
      update users set stored_bytes =
        coalesce((select ${size} from trades t where t.user_id = ${userId}), 0)
        + coalesce((select ${size} from positions t where t.user_id = ${userId}), 0)
        + coalesce((select ${size} from wallet_snapshots t where t.user_id = ${userId}), 0)
        + coalesce((select ${size} from sessions t where t.user_id = ${userId}), 0)
        + coalesce((select ${size} from messages t join sessions s on s.id = t.session_id where s.user_id = ${userId}), 0)
      where id = ${userId}`)
  }
}
