import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readRollupConfig } from '@keelson/devnet/network-files'
import { networksFolder } from '../networks/shipped-networks.ts'
import { registryCheck } from './checks/registry.ts'
import type { DoctorContext } from './doctor-context.ts'
import { closeServer, openServer } from './faults.test-support.ts'
import { renderFinding } from './render-finding.ts'

const DAY_SEC = 86_400
/** 2026-11-22 00:00:00 UTC. */
const NOW_SEC = 1_795_305_600
const TOML = 'superchain/configs/sepolia/op.toml'

describe('doctor, superchain registry', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-registry-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const changed = (change: (rollup: Record<string, unknown>) => Record<string, unknown>): string => {
    const network = join(folder, 'network')
    cpSync(join(networksFolder(), 'op-sepolia'), network, { recursive: true })
    const rollup = JSON.parse(readFileSync(join(network, 'rollup.json'), 'utf8')) as Record<string, unknown>
    writeFileSync(join(network, 'rollup.json'), JSON.stringify(change(rollup)))
    return network
  }

  const registryText = (more: readonly string[]): string => {
    const rollup = readRollupConfig(join(networksFolder(), 'op-sepolia'))
    const times = rollup.forks.lineage.slice(2, -1).map((fork) => `${fork}_time = ${rollup.forks.activationTimeSec(fork)} # as shipped`)
    const lines = [...times, `pectra_blob_schedule_time = ${rollup.pectraBlobScheduleTimeSec}`, 'keep_karst_upgrade_gas = true', ...more]
    return `name = "OP Sepolia Testnet"\n[hardforks]\n${lines.join('\n')}\n[genesis]\nl2_time = 1691802540\n`
  }

  const checkout = (more: readonly string[]): string => {
    const file = join(folder, 'registry', TOML)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, registryText(more))
    return join(folder, 'registry')
  }

  const examine = async (network: string, registry: string | null = null): Promise<readonly string[]> => {
    const rollup = readRollupConfig(network)
    const settings = { registry, clockOffsetMs: 0 }
    const context = { rollup, newer: null, settings, machine: { nowMs: () => NOW_SEC * 1000 } } as unknown as DoctorContext
    return [await registryCheck.run(context)].flat().map((result) => renderFinding({ check: 'registry', ...result }))
  }

  it('finds the shipped files in agreement with the registry they come from', async () => {
    const [line, ...others] = await examine(join(networksFolder(), 'op-sepolia'))
    assert.match(
      line as string,
      /^ok .* the forks are those of this release \(ethereum-optimism\/superchain-registry at 8336d2ae and https:\S+op-node%2Fv1\.21\.0\)$/,
    )
    assert.deepEqual(others, [])
  })

  it('warns where the registry no longer lists the chain', async () => {
    const [agreement, listing, ...others] = await examine(join(networksFolder(), 'lisk-mainnet'))
    assert.match(agreement as string, /^ok /)
    assert.match(
      listing as string,
      /^warn .* has not listed this chain since 2026-11-25 or earlier: .*; follow the announcements of its operators/,
    )
    assert.deepEqual(others, [])
  })

  it('names the forks of a chain that left the registry', async () => {
    const [, listing, ...others] = await examine(join(networksFolder(), 'base-sepolia'))
    assert.match(
      listing as string,
      /lacks beryl \(2026-06-18 18:00:00 UTC\), cobalt \(2026-09-23 .*\), denim \(2026-10-21 18:00:00 UTC\), and/,
    )
    assert.deepEqual(others, [])
  })

  it('names a fork that the files of an operator do not schedule though it is in force', async () => {
    const network = changed(({ karst_time: _, keep_karst_upgrade_gas: __, lagoon_time: ___, ...rest }) => rest)
    const [line, later, ...others] = await examine(network)
    assert.match(later as string, /^warn .* schedules lagoon for 2026-12-10 16:00:01 UTC/)
    assert.match(line as string, /^FAIL .* schedules karst for 2026-06-17 16:00:01 UTC, 157 days ago: rollup\.json does not schedule it; /)
    assert.match(line as string, /start with --network op-sepolia, or correct rollup\.json$/)
    assert.deepEqual(others, [])
  })

  // superchain-registry superchain/README.md, keep_karst_upgrade_gas.
  it('names the flag for the upgrade gas of Karst that the files of an operator lack', async () => {
    const network = changed(({ keep_karst_upgrade_gas: _, ...rest }) => rest)
    const [own, registry, ...others] = await examine(network, checkout([]))
    for (const line of [own, registry]) {
      assert.match(line as string, /^FAIL .* says keep_karst_upgrade_gas = true: rollup\.json says false; the two chains part in the block/)
    }
    assert.deepEqual(others, [])
  })

  it('warns of a fork that a newer registry schedules and this release does not implement', async () => {
    const registry = checkout([`atoll_time = ${NOW_SEC + 12 * DAY_SEC}`])
    const [, line, ...others] = await examine(join(networksFolder(), 'op-sepolia'), registry)
    assert.match(line as string, /^warn .* schedules atoll for 2026-12-04 00:00:00 UTC, in 12 days: rollup\.json does not schedule it; /)
    assert.match(line as string, /this release implements forks up to lagoon; install a release that has these times/)
    assert.deepEqual(others, [])
  })

  it('reads the registry over HTTP', async () => {
    const asked: string[] = []
    const { server, url } = await openServer((request, response) => {
      asked.push(request.url ?? '')
      response.end(registryText([]))
    })
    const lines = await examine(join(networksFolder(), 'op-sepolia'), `${url}/main/`)
    await closeServer(server)
    assert.deepEqual(asked, [`/main/${TOML}`])
    assert.match(lines[1] as string, /^ok .* the forks are those of http:/)
  })

  it('reports a registry that cannot be read or is not one', async () => {
    const network = join(networksFolder(), 'op-sepolia')
    assert.match(
      (await examine(network, join(folder, 'missing')))[1] as string,
      /^warn .* has no superchain\/configs\/sepolia\/op\.toml: its forks cannot be compared/,
    )
    const registry = checkout(['lagoon_time = "soon"'])
    assert.match((await examine(network, registry))[1] as string, /cannot be read: hardforks\.lagoon_time: expected a time in Unix seconds/)
  })

  it('leaves out a chain that no public network has', async () => {
    const network = changed((rollup) => ({ ...rollup, l2_chain_id: 424_242 }))
    assert.match((await examine(network))[0] as string, /^- .* the chain is not one of keelson network list/)
  })
})
