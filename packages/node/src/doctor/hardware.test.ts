import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claimDataDirectory } from '@keelson/runtime'
import type { Machine } from './doctor-context.ts'
import { makeNetwork, openSurroundings, type Surroundings } from './faults.test-support.ts'
import { DEVELOPMENT_MINIMUM } from './hardware-minimum.ts'
import { thisMachine } from './machine.ts'
import { probeDisk } from './probe-disk.ts'
import { renderFinding } from './render-finding.ts'

interface Shortage {
  readonly name: string
  readonly machine: Partial<Machine>
  readonly line: RegExp
}

const SHORTAGES: readonly Shortage[] = [
  {
    name: 'processors',
    machine: { processors: 4 },
    line: /^warn {2}processors +4 processors: a validator on a public network needs 8; use a larger machine/,
  },
  {
    name: 'memory',
    machine: { memoryBytes: 16.6e9 },
    line: /^warn {2}memory +17 GB of memory: a validator on a public network needs 32 GB; use a larger machine, or raise the limit/,
  },
  {
    name: 'open files',
    machine: { openFileLimit: async () => 1_024 },
    line: /^warn {2}open-files +1024 open files: .* may need 10000; set LimitNOFILE=65536/,
  },
  {
    name: 'a disk that is too small',
    machine: { disk: async () => ({ freeBytes: 200e9, totalBytes: 245e9 }) },
    line: /^warn {2}disk-size +the disk of .*execution has 245 GB: .* needs 1000 GB; move this data folder to a larger disk/,
  },
  {
    name: 'a disk that is slow',
    machine: { syncTimesMs: async () => [14, 15, 11, 40, 12] },
    line: /^warn {2}disk-speed +.*: a write takes 14\.0 ms to reach the disk, the slowest tenth over 15\.0 ms: .*; use a local NVMe disk/,
  },
]

describe('doctor: the machine', () => {
  let network: string
  let world: Surroundings
  before(async () => {
    network = await makeNetwork()
  })
  after(() => rmSync(network, { recursive: true }))
  beforeEach(async () => {
    world = await openSurroundings(network)
  })
  afterEach(() => world.close())

  const warnings = async () => (await world.examine()).filter(({ status }) => status !== 'ok' && status !== 'skip').map(renderFinding)
  const linesOf = async (check: string) => (await world.examine()).filter((finding) => finding.check === check).map(renderFinding)

  for (const { name, machine, line } of SHORTAGES) {
    it(`warns of too little, and of nothing else: ${name}`, async () => {
      world.machine = { ...world.machine, ...machine }
      const [first, ...others] = await warnings()
      assert.match(first ?? '', line)
      assert.deepEqual(others, [])
    })
  }

  it('asks less of a machine that runs a development network', async () => {
    const disk = async () => ({ freeBytes: 20e9, totalBytes: 30e9 })
    world.machine = { ...world.machine, processors: 2, memoryBytes: 8e9, disk }
    world.settings = { ...world.settings, minimum: DEVELOPMENT_MINIMUM }
    assert.deepEqual(await warnings(), [])
  })

  it('judges the size of the disk only where an execution client keeps its data', async () => {
    const { rollup, folder } = world
    const dataDir = join(folder, 'consensus')
    await claimDataDirectory(dataDir, { version: 1, role: 'consensus', chainId: rollup.l2ChainId, genesisHash: rollup.genesis.l2.hash })
    world.settings = { ...world.settings, dataDirs: [dataDir] }
    world.machine = { ...world.machine, disk: async () => ({ freeBytes: 20e9, totalBytes: 30e9 }) }
    assert.deepEqual(await warnings(), [])
    assert.match((await linesOf('disk-size')).join(), /^- .*none of the folders is of an execution client/)
    world.settings = { ...world.settings, dataDirs: [join(folder, 'not', 'there')] }
    assert.match((await linesOf('disk-size')).join(), /^warn .*has 30 GB/)
  })

  it('says nothing of what the system does not tell', async () => {
    const refuse = () => Promise.reject(new Error('EACCES'))
    world.machine = { ...world.machine, openFileLimit: async () => null, syncTimesMs: refuse }
    assert.deepEqual(await warnings(), [])
    assert.match((await linesOf('open-files')).join(), /^- /)
    assert.match((await linesOf('disk-speed')).join(), /^- /)
  })
})

describe('the probe of a disk', () => {
  it('measures synced writes and leaves nothing behind', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'keelson-probe-'))
    const times = await thisMachine().syncTimesMs(folder)
    assert.ok(times.length > 0 && times.every((ms) => ms >= 0))
    assert.deepEqual(readdirSync(folder), [])
    rmSync(folder, { recursive: true })
  })

  it('ends when its time is over, however slow the disk is', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'keelson-probe-'))
    let nowMs = 0
    const times = await probeDisk(folder, () => {
      nowMs += 300
      return nowMs
    })
    assert.ok(times.length > 0 && times.length < 5, `${times.length} writes`)
    rmSync(folder, { recursive: true })
  })
})
