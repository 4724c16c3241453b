import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { keccak256Hash, utf8ToBytes } from '@keelson/primitives'
import { createMetrics, createSilentLogger } from '@keelson/runtime'
import { IndexError } from '../index-error.ts'
import { createBlockStore } from './block-store.ts'
import { openIndexDatabase } from './open-database.ts'
import { createUpkeep } from './upkeep.ts'

const WRITER = fileURLToPath(new URL('writer.test-support.ts', import.meta.url))
const BLOCKS_BEFORE_THE_KILL = 60
const MOST_MS = 180_000
const identity = { chainId: 901n, genesisHash: keccak256Hash(utf8ToBytes('block 0')) }

async function cursorsUntilKilled(dataDir: string): Promise<readonly number[]> {
  const bound = { timeout: MOST_MS, killSignal: 'SIGKILL' } as const
  const child = spawn(process.execPath, ['--import=tsx', WRITER, dataDir], { stdio: ['ignore', 'pipe', 'inherit'], ...bound })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const cursors: number[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    cursors.push(Number(line))
    if (cursors.length === BLOCKS_BEFORE_THE_KILL) child.kill('SIGKILL')
  }
  await ended
  return cursors
}

describe('the embedded database of the index', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'keelson-index-'))
  const open = (chainId = identity.chainId) =>
    openIndexDatabase({ dataDir, databaseUrl: null, maxConnections: 1 }, { ...identity, chainId }, createSilentLogger())
  const refused = (opening: Promise<unknown>, code: string) =>
    assert.rejects(opening, (error) => error instanceof IndexError && error.code === code)
  after(() => rmSync(dataDir, { recursive: true, force: true }))

  it('continues after kill -9 without gaps or duplicates, and belongs to one process and one chain', async () => {
    const cursors = await cursorsUntilKilled(dataDir)
    assert.ok(cursors.length >= BLOCKS_BEFORE_THE_KILL)
    const db = await open()
    const at = (await createBlockStore(db).cursor())?.number as number
    assert.ok(at >= (cursors.at(-1) as number), `${at} after ${cursors.at(-1)}`)
    const [counted] = await db.query<{ blocks: number; hours: string }>(
      'select count(*) as blocks, (select sum(blocks) from hours)::text as hours from blocks',
    )
    assert.deepEqual(counted, { blocks: at + 1, hours: String(at + 1) })
    await refused(open(), 'apps/index-storage-locked')
    await db.close()
    await refused(open(902n), 'apps/index-other-chain')
  })

  it('is measured and looked after', async () => {
    const db = await open()
    const metrics = createMetrics('index')
    await createUpkeep(db, metrics)()
    const { text } = await metrics.render()
    assert.ok(Number(/index_database_bytes (\d+)/.exec(text)?.[1]) > 1_000_000, text)
    await db.query('vacuum token_balances')
    await db.close()
    assert.notEqual(await db.trouble(), null)
  })
})
