import assert from 'node:assert/strict'
import { createManualClock, createSilentLogger, type ManualClock } from '@keelson/runtime'
import { sql } from 'drizzle-orm'
import { createUserStore } from '../auth/user-store.ts'
import { ApiError } from '../http/api-error.ts'
import { createMemoryRateLimits } from '../http/rate-limit-store.ts'
import { openTestDatabase } from './database.test-support.ts'
import type { Database } from './database.ts'
import { createStorageQuota, DEFAULT_MAX_STORED_BYTES, MAX_BYTES_OF_USER, MIN_FREE_DISK_BYTES } from './storage-quota.ts'

const MIB = 1024 * 1024
const DAY_MS = 86_400_000

describe('the quota of what requests store', () => {
  let db: Database
  let clock: ManualClock
  beforeEach(async () => {
    db = await openTestDatabase()
    clock = createManualClock(Date.parse('2026-01-01T00:00:00Z'))
  })

  const quotaWith = ({ maxBytes = DEFAULT_MAX_STORED_BYTES, limitScale = 1, free = Number.POSITIVE_INFINITY } = {}) => {
    const limits = createMemoryRateLimits(clock)
    const freeDiskBytes = async () => free
    return createStorageQuota({ maxBytes, limitScale }, { db, limits, clock, log: createSilentLogger(), freeDiskBytes })
  }
  const addressed = (n: number) => `4:${n.toString(16)}`
  const refusal = async (work: Promise<void>) => {
    const error = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    )
    assert.ok(error === null || error instanceof ApiError, String(error))
    return error
  }

  it('is 64 MiB for an address at once, and then that much a day, whatever users it registers', async () => {
    const quota = quotaWith()
    const store = (subscriber: string) => refusal(quota.admit({ userId: null, subscriber }, MIB - 512))
    for (let i = 0; i < 64; i++) assert.equal(await store(addressed(0xc0000201)), null)
    const refused = await store(addressed(0xc0000201))
    assert.equal(refused?.status, 429)
    assert.match(refused?.message ?? '', /address has stored 64 MiB within a day/)
    assert.equal(refused?.headers['retry-after'], String(DAY_MS / 64 / 1000))
    assert.equal(await store(addressed(0xc0000202)), null, 'another address has its own')
    await clock.advance(DAY_MS / 64)
    assert.equal(await store(addressed(0xc0000201)), null)
    assert.equal((await store(addressed(0xc0000201)))?.status, 429)
  })

  it('is that of four addresses for a network, such as a /48 of IPv6', async () => {
    const quota = quotaWith()
    // Each is another /64 of 2001:db8:1::/48.
    const store = (site: number) =>
      refusal(quota.admit({ userId: null, subscriber: `6:20010db80001${site.toString(16).padStart(4, '0')}` }, 32 * MIB - 512))
    for (let site = 0; site < 8; site++) assert.equal(await store(site), null)
    const refused = await store(9)
    assert.match(refused?.message ?? '', /network has stored 256 MiB within a day/)
  })

  it('counts rows by the room that each takes', async () => {
    const quota = quotaWith({ limitScale: 1 / 1024 })
    const store = () => refusal(quota.admit({ userId: null, subscriber: addressed(1) }, 0))
    // 64 KiB for rows of 512 bytes.
    for (let i = 0; i < 128; i++) assert.equal(await store(), null)
    assert.equal((await store())?.status, 429)
  })

  it('is 64 MiB for a user from everywhere, and follows what was deleted', async () => {
    const users = createUserStore(db)
    const { id } = (await users.addUser('ann@example.org', 'x', 0)) as { id: number }
    const quota = quotaWith({ limitScale: 1_000 })
    const store = (bytes: number) => refusal(quota.admit({ userId: id, subscriber: addressed(1) }, bytes - 512))
    assert.equal(await store(MAX_BYTES_OF_USER), null)
    // Nothing of it is there, so it is counted again.
    assert.equal(await store(MIB), null)
    await db.execute(sql`insert into trades (user_id, agent, wallet_address, chain_id, venue, token_in_address, token_out_address, token_in_symbol,
      token_out_symbol, amount_in, amount_out, amount_in_usd, amount_out_usd, price_in_usd, price_out_usd, fees_usd, status, simulated,
      realized_pnl_usd, recorded_at) select ${id}, 'a', 'w', 1, 'v', 'i', 'o', 'I', 'O', 1, 1, 1, 1, 1, 1, 0, 'success', false, 0, now()
      from generate_series(1, 1000)`)
    await db.execute(sql`update users set stored_bytes = ${MAX_BYTES_OF_USER} where id = ${id}`)
    assert.equal((await store(MIB))?.status, 400, 'it was counted a moment ago')
    await clock.advance(60_000)
    assert.equal(await store(MIB), null)
    const { rows } = (await db.execute(sql`select stored_bytes::text as bytes from users where id = ${id}`)) as unknown as {
      rows: { bytes: string }[]
    }
    const counted = Number(rows[0]?.bytes) - MIB
    assert.ok(counted > 1_000 * 512 && counted < 1_000 * 2_048, `${counted} for 1,000 trades`)
  })

  it('changes the quota of a user once for several requests, and takes no more of it than there is', async () => {
    const users = createUserStore(db)
    const { id } = (await users.addUser('ann@example.org', 'x', 0)) as { id: number }
    const quota = quotaWith({ limitScale: 1_000 })
    const store = (bytes: number) => refusal(quota.admit({ userId: id, subscriber: addressed(1) }, bytes - 512))
    const stored = async () => {
      const answer = await db.execute(sql`select stored_bytes::text as bytes from users where id = ${id}`)
      return Number((answer as unknown as { rows: { bytes: string }[] }).rows[0]?.bytes)
    }
    assert.equal(await store(8_192), null)
    const first = await stored()
    assert.ok(first >= 8_192 && first <= 8_192 + 65_536, `${first} bytes`)
    for (let i = 0; i < 8; i++) assert.equal(await store(8_192), null)
    assert.equal(await stored(), first)
    assert.equal(await store(8_192), null)
    assert.ok((await stored()) > first)
    const left = MAX_BYTES_OF_USER - (await stored())
    assert.equal(await store(left), null)
    assert.equal(await stored(), MAX_BYTES_OF_USER)
  })

  it('refuses everybody at the ceiling of the database, until there is room', async () => {
    const quota = quotaWith({ maxBytes: 1 })
    const refused = await refusal(quota.admit({ userId: null, subscriber: addressed(1) }, 1))
    assert.equal(refused?.status, 503)
    assert.match(refused?.message ?? '', /full: reading goes on/)
    assert.ok(Number(refused?.headers['retry-after']) > 0)
    assert.equal(await refusal(quotaWith().admit({ userId: null, subscriber: addressed(1) }, 1)), null)
  })

  it('counts what it admitted between two measurements of the database', async () => {
    const { rows } = (await db.execute(sql`select pg_database_size(current_database())::text as bytes`)) as unknown as {
      rows: { bytes: string }[]
    }
    const quota = quotaWith({ maxBytes: Number(rows[0]?.bytes) + 10 * MIB })
    const store = () => refusal(quota.admit({ userId: null, subscriber: addressed(1) }, 4 * MIB))
    assert.deepEqual([await store(), await store(), (await store())?.status], [null, null, 503])
  })

  it('refuses everybody before the disk of the other roles is full', async () => {
    const store = (free: number) => refusal(quotaWith({ free }).admit({ userId: null, subscriber: addressed(1) }, MIB))
    assert.equal((await store(MIN_FREE_DISK_BYTES))?.status, 503)
    assert.equal(await store(MIN_FREE_DISK_BYTES + 2 * MIB), null)
  })
})
