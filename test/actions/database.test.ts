import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type DatabaseStats,
  openDatabase,
  type PruneResult,
  type RollbackResult,
  runDatabaseTask,
  type VerifyResult,
} from '@keelson/execution'
import { type Hash, hexToBytes, ZERO_HASH } from '@keelson/primitives'
import { claimDataDirectory, createSeededRandom, type LevelStore, openLevelStore } from '@keelson/runtime'
import { createDatabaseControl, runOnDirectory } from '../../packages/node/src/commands/db/database-control.ts'
import { renderResult } from '../../packages/node/src/commands/db/render-result.ts'
import { createSnapshotWriter } from '../../packages/node/src/commands/db/snapshot-folder.ts'
import { controlSocketPath } from '../../packages/node/src/control/control-socket.ts'
import { JOURNEY_OPTIONS, type Journey, runJourney } from '../support/crash-journey.ts'
import { createRecordingStore } from '../support/crash-store.ts'
import { assertWholeState, examine, reopen } from '../support/examine-store.ts'
import { SILENT_LOG } from '../support/execution-world.ts'

const TOOLS = { random: createSeededRandom(5), log: SILENT_LOG, snapshotFolder: createSnapshotWriter }
const BLOCKS = 60

describe('keelson db', () => {
  let folder: string
  let journey: Journey
  let level: LevelStore

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-db-'))
    level = await openLevelStore({ directory: join(folder, 'chain') })
    journey = await runJourney(BLOCKS, 11, createRecordingStore(level))
    const { chainId, genesis } = journey.world
    await claimDataDirectory(folder, { version: 1, role: 'execution', chainId, genesisHash: genesis.hash })
  })
  afterEach(async () => {
    await level.close()
    await rm(folder, { recursive: true, force: true })
  })
  const run = async <T>(task: Parameters<typeof runOnDirectory>[1], params = {}, historyBlocks: number | null = null) =>
    (await runOnDirectory(folder, task, params, { historyBlocks }, TOOLS, new AbortController().signal, () => undefined)) as T
  const leave = async () => {
    await journey.world.stop()
    await level.close()
  }
  const write = async (change: (store: LevelStore) => Promise<void>) => {
    const store = await openLevelStore({ directory: join(folder, 'chain') })
    await change(store)
    await store.close()
  }

  it('reports heads and sizes, also after compaction', async () => {
    const head = journey.world.node.chain.label('unsafe')
    await leave()
    const { afterBytes } = await run<{ afterBytes: number }>('compact')
    const stats = await run<DatabaseStats>('stats')
    assert.deepEqual(stats.heads.unsafe, { number: head.header.number, hash: head.hash })
    assert.equal(stats.chainId, '901')
    assert.ok(stats.totalBytes > 10_000 && afterBytes > 10_000)
    assert.ok(stats.state.oldest <= stats.state.diskNumber && stats.state.diskNumber < head.header.number)
    assert.match(renderResult('stats', stats), new RegExp(`unsafe +${head.header.number} +${head.hash}`))
  })

  it('verifies the directory of a stopped node, completely or by samples', async () => {
    const head = journey.world.node.chain.label('unsafe').header.number
    await leave()
    for (const full of [true, false]) {
      const verified = await run<VerifyResult>('verify', { full })
      assert.deepEqual([verified.problems, verified.ok, verified.blocks], [[], true, head + 1])
      assert.match(renderResult('verify', verified), /^OK: /)
    }
    const rest = await run<VerifyResult>('verify', { full: true, resume: 'block:9' })
    assert.deepEqual([rest.ok, rest.blocks], [true, 10])
  })

  it('names a damaged receipt, index, account, slot or trie node', async () => {
    const { chain } = journey.world.node
    const number = 5
    const hash = chain.canonicalHash(number) as string
    const tx = chain.block(hash as never)?.transactions[0]?.hash as string
    await leave()
    const damages: readonly (readonly [RegExp, (store: LevelStore) => Promise<void>])[] = [
      [/block 5 \(0x.*\) has no receipts/, (store) => store.batch([{ del: Uint8Array.of(0x43, ...hexToBytes(hash as never)) }])],
      [/transaction 0x.* is not in the index/, (store) => store.batch([{ del: Uint8Array.of(0x45, ...hexToBytes(tx as never)) }])],
      [/its slots have the root/, (store) => dropFirst(store, 0x12)],
      [/trie node at 0x14.* is missing/, (store) => dropFirst(store, 0x14)],
      [/all accounts together have the root/, (store) => dropFirst(store, 0x11)],
    ]
    for (const [expected, damage] of damages) {
      await write(damage)
      const { ok, problems } = await run<VerifyResult>('verify', { full: true })
      assert.equal(ok, false)
      assert.ok(
        problems.some((problem) => expected.test(problem)),
        `${expected} in ${problems.join('\n')}`,
      )
    }
  })

  it('rolls back to a block in the layers or in history, and leaves a valid directory', async () => {
    const { chain } = journey.world.node
    const head = chain.label('unsafe').header.number
    const hashes = Array.from({ length: head + 1 }, (_, number) => chain.canonicalHash(number) as Hash)
    const disk = (await run<DatabaseStats>('stats').catch(() => null)) ?? null
    assert.equal(disk, null, 'a directory that is held is refused')
    await leave()
    const { state, heads } = await run<DatabaseStats>('stats')
    for (const [to, force] of [
      [head - 2, false],
      [state.diskNumber - 2, true],
    ] as const) {
      if (to < heads.finalized.number) await assert.rejects(run('rollback', { to }), { code: 'execution/rollback-refused' })
      const result = await run<RollbackResult>('rollback', { to, force })
      assert.equal(result.hash, hashes[to])
      assert.equal((await run<VerifyResult>('verify', { full: true })).ok, true)
      await write(async (store) => {
        const node = await reopen({ store, chain: journey.world.chain, crypto: journey.world.crypto })
        assert.equal(await examine(node), hashes[to])
        assert.equal(node.chain.header(hashes[head] as Hash), null, 'what came after is removed')
        await assertWholeState(store, node)
      })
    }
    await assert.rejects(run('rollback', { to: 10_000 }), /there is no block 10000/)
  })

  it('prunes to a window', async () => {
    await leave()
    const before = await run<DatabaseStats>('stats')
    const pruned = await run<PruneResult>('prune', {}, 4)
    assert.equal(pruned.oldestState, before.state.diskNumber - 4)
    assert.equal(pruned.historyBlocksRemoved, pruned.oldestState - before.state.oldest)
    assert.equal((await run<VerifyResult>('verify', { full: true })).ok, true)
  })

  it('works through the socket of a running node, which continues to build', async () => {
    const { world } = journey
    const control = createDatabaseControl(folder, world.node.database(level), TOOLS)
    await control.start(new AbortController().signal)
    try {
      assert.equal((await stat(controlSocketPath(folder))).mode & 0o777, 0o600)
      const verifying = run<VerifyResult>('verify', { full: true })
      const mined = await world.mine()
      assert.equal((await verifying).ok, true)
      const stats = await run<DatabaseStats>('stats')
      assert.equal(stats.heads.unsafe.hash, mined.hash)
      await run('compact')
      await assert.rejects(run('prune', {}, 4), { code: 'node/control' })
      await run('prune')
      const { hash } = await run<RollbackResult>('rollback', { to: mined.header.number - 3 })
      assert.equal(world.node.chain.label('unsafe').hash, hash)
      assert.equal((await world.mine()).header.number, mined.header.number - 2)
      await assert.rejects(run('rollback', { to: 10_000 }), { code: 'node/control' })
      assert.equal((await run<VerifyResult>('verify', { full: true })).ok, true)
      const { status } = await world.engine.forkchoiceUpdated({ head: hash, safe: ZERO_HASH, finalized: ZERO_HASH }, null)
      assert.equal(status.status, 'VALID')
    } finally {
      await control.stop()
      await world.stop()
    }
    await assert.rejects(stat(controlSocketPath(folder)), { code: 'ENOENT' })
  })

  it('stops on request, and rejects a directory without a chain', async () => {
    await leave()
    await write(async (store) => {
      const database = await openDatabase(store, SILENT_LOG, JOURNEY_OPTIONS.state)
      const breathe = async () => {
        throw new Error('stopped')
      }
      const context = { signal: new AbortController().signal, report: () => undefined, breathe }
      await assert.rejects(runDatabaseTask('verify', { full: true }, database, TOOLS, context), /stopped/)
    })
    await rm(join(folder, 'chain'), { recursive: true })
    await assert.rejects(run('stats'), { code: 'execution/no-database' })
  })
})

async function dropFirst(store: LevelStore, bucket: number): Promise<void> {
  for await (const [key] of store.range(Uint8Array.of(bucket), Uint8Array.of(bucket + 1), { limit: 1 })) await store.batch([{ del: key }])
}
