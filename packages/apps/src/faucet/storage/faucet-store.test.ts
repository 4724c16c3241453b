import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHash } from '@keelson/primitives'
import { createElection, createMemoryStore, createSilentLogger, type Lead, openLevelStore } from '@keelson/runtime'
import fc from 'fast-check'
import pg from 'pg'
import { eventually } from '../../../../../test/support/eventually.ts'
import { type PostgresServer, postgresSources } from '../../../../../test/support/postgres.ts'
import type { FaucetStore } from './faucet-store.ts'
import { createPostgresStore } from './postgres-store.ts'
import { announceLeader, findLeader, openFaucetElection, prepareFaucetTables } from './shared-storage.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)
const IDENTITY = { chainId: 901n, genesisHash: toHash(`0x${'11'.repeat(32)}`) }
const key = fc.uint8Array({ minLength: 1, maxLength: 3 })

async function listed(store: FaucetStore, options = {}): Promise<readonly (readonly [string, string])[]> {
  const found: [string, string][] = []
  for await (const [k, v] of store.range(bytes(0), bytes(255, 255, 255, 255), options)) found.push([hex(k), hex(v)])
  return found
}

function hex(value: Uint8Array): string {
  return Buffer.from(value).toString('hex')
}

/** `reopen` returns the store as another process finds it. */
function faucetStoreSuite(name: string, open: () => Promise<{ readonly store: FaucetStore; reopen(): Promise<FaucetStore> }>): void {
  describe(`the records of the faucet in ${name}`, () => {
    it('are those of the batches, the last write of a key counting, in the order of their keys', async () => {
      const { store, reopen } = await open()
      const op = fc.oneof(
        fc.record({ put: key, value: fc.uint8Array({ maxLength: 40 }) }),
        key.map((del) => ({ del })),
      )
      const expected = new Map<string, string>()
      await fc.assert(
        fc.asyncProperty(fc.array(op, { maxLength: 6 }), async (ops) => {
          await store.batch(ops, { sync: true })
          for (const one of ops) {
            if ('put' in one) expected.set(hex(one.put), hex(one.value))
            else expected.delete(hex(one.del))
          }
          const sorted = [...expected].sort(([a], [b]) => (a < b ? -1 : 1))
          assert.deepEqual(await listed(store), sorted)
          assert.deepEqual(await listed(store, { reverse: true, limit: 2 }), sorted.reverse().slice(0, 2))
        }),
        { numRuns: 30 },
      )
      const before = await listed(store)
      const next = await reopen()
      assert.deepEqual(await listed(next), before)
      await next.close()
    })

    it('are listed from a key inclusive to a key exclusive', async () => {
      const { store } = await open()
      await store.batch([1, 2, 3].map((n) => ({ put: bytes(n), value: bytes() })))
      const keys = async (from: number, to: number) => {
        const found: number[] = []
        for await (const [[first]] of store.range(bytes(from), bytes(to))) found.push(first as number)
        return found
      }
      assert.deepEqual([await keys(1, 3), await keys(2, 2), await keys(3, 1)], [[1, 2], [], []])
      await store.close()
    })

    it('are listed whole when there are many', async () => {
      const { store } = await open()
      const many = Array.from({ length: 250 }, (_, n) => hex(bytes(n >> 4, n & 15, 0).subarray(0, 2 + (n % 2))))
      await store.batch(many.map((each) => ({ put: Buffer.from(each, 'hex'), value: bytes(1) })))
      const sorted = [...many].sort()
      const keys = async (options: object) => (await listed(store, options)).map(([each]) => each)
      assert.deepEqual(await keys({}), sorted)
      assert.deepEqual(await keys({ reverse: true }), [...sorted].reverse())
      assert.deepEqual(await keys({ limit: 200 }), sorted.slice(0, 200))
      assert.deepEqual(await keys({ limit: 0 }), [])
      await store.close()
    })
  })
}

faucetStoreSuite('memory', async () => {
  const store = createMemoryStore()
  return { store, reopen: async () => store }
})

describe('stores on disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-faucet-store-'))
  let count = 0
  after(() => rmSync(folder, { recursive: true, force: true }))
  faucetStoreSuite('LevelDB', async () => {
    const directory = join(folder, String(count++))
    const store = await openLevelStore({ directory })
    return { store, reopen: () => store.close().then(() => openLevelStore({ directory })) }
  })
})

for (const source of postgresSources()) {
  describe('stores on a server', () => {
    let server: PostgresServer
    const ends: (() => Promise<void>)[] = []
    before(async () => {
      server = await source.open()
    })
    after(async () => {
      for (const end of ends.reverse()) await end()
      await server?.stop()
    })
    const member = (url: string) => {
      const election = openFaucetElection(url, createSilentLogger())
      ends.push(() => election.withdraw())
      return election
    }
    const openDatabase = async () => {
      const database = await server.createDatabase()
      ends.push(database.drop)
      const election = member(database.url)
      const lead = (await election.campaign()) as Lead
      await prepareFaucetTables(lead, IDENTITY)
      return { url: database.url, election, lead }
    }

    faucetStoreSuite(source.name, async () => {
      const { url, election, lead } = await openDatabase()
      return {
        store: createPostgresStore(election, lead),
        async reopen() {
          await election.withdraw()
          const next = member(url)
          return createPostgresStore(next, await eventually('the free lock', () => next.campaign()))
        },
      }
    })

    it('take no batch from an instance that another one has replaced', async () => {
      const { url, election, lead } = await openDatabase()
      const old = createPostgresStore(election, lead)
      await old.batch([{ put: bytes(1), value: bytes(1) }])
      await announceLeader(lead, 'http://one')
      await election.withdraw()
      const next = member(url)
      const nextLead = await eventually('the free lock', () => next.campaign())
      await assert.rejects(old.batch([{ put: bytes(1), value: bytes(2) }]), { code: 'runtime/not-leader' })
      assert.deepEqual(await listed(createPostgresStore(next, nextLead)), [['01', '01']])
      assert.equal(await findLeader(next), 'http://one')
    })

    it('free the lock when the leader was stopped while it read them', async () => {
      const { url } = await server.createDatabase()
      const socket = new Socket()
      const open = () => new pg.Client({ connectionString: url, stream: () => socket })
      const log = createSilentLogger()
      const election = createElection({ lock: 1, open, silenceMs: 500, log })
      const lead = (await election.campaign()) as Lead
      await prepareFaucetTables(lead, IDENTITY)
      await lead.transaction((query) =>
        query("insert into faucet_records select int4send(n), decode(repeat('ab', 500), 'hex') from generate_series(1, 20000) as n"),
      )
      socket.once('data', () => socket.pause())
      const loading = listed(createPostgresStore(election, lead)).catch((error: Error) => error)
      const next = createElection({ lock: 1, open: () => new pg.Client({ connectionString: url }), log })
      ends.push(() => next.withdraw())
      assert.ok(await eventually('the free lock', () => next.campaign()))
      socket.resume()
      assert.ok((await loading) instanceof Error)
      await election.withdraw()
    })

    it('are refused to a faucet of another chain', async () => {
      const { lead } = await openDatabase()
      await assert.rejects(prepareFaucetTables(lead, { ...IDENTITY, chainId: 902n }), { code: 'apps/faucet-other-chain' })
    })

    it('name no leader before the first', async () => {
      const { url } = await server.createDatabase()
      assert.equal(await findLeader(member(url)), null)
    })
  })
}
