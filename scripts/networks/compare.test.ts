import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compareNetworks, exitCodeOf } from './compare.ts'
import { networkTexts } from './network-files.ts'
import { openRegistry } from './registry-checkout.ts'
import { OP_SEPOLIA_TOML, SEPOLIA_TOML, writeRegistry } from './registry-fixture.test-support.ts'
import { networkName } from './select-chains.ts'
import { readShipped, type Shipped } from './shipped.ts'

const NOW_SEC = 1_795_305_600
const IN_12_DAYS = NOW_SEC + 12 * 86_400

describe('a comparison with the superchain registry', () => {
  let folder: string
  let shipped: Shipped

  function compare(changes: Readonly<Record<string, string | null>>, than: Shipped = shipped): readonly string[] {
    const changed = join(folder, 'changed')
    rmSync(changed, { recursive: true, force: true })
    writeRegistry(changed, changes)
    const findings = compareNetworks(openRegistry(changed), than, NOW_SEC)
    return [...findings.map(({ about, text }) => `${about}: ${text}`), `exit ${exitCodeOf(findings)}`]
  }

  const opSepolia = (from: string, to: string) => ({ 'configs/sepolia/op.toml': OP_SEPOLIA_TOML.replace(from, to) })

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-registry-'))
    writeRegistry(join(folder, 'before'))
    const registry = openRegistry(join(folder, 'before'))
    const networks = registry.chains.map((chain) => {
      const { rollup, addresses, keelson } = networkTexts(registry, chain)
      if (keelson.publicNetwork === undefined) throw new Error('a registry chain is a public network')
      return { name: networkName(chain), rollup, addresses, network: keelson.publicNetwork }
    })
    shipped = { networks, leftOut: { 'sepolia/lost': 'it was lost' } }
    assert.deepEqual(
      networks.map(({ name }) => name),
      ['op-sepolia'],
    )
  })
  after(() => rmSync(folder, { recursive: true }))

  it('finds nothing when nothing changed', () => {
    assert.deepEqual(compare({}, { ...shipped, leftOut: {} }), ['exit 0'])
  })

  it('dates a fork that was moved, scheduled or cancelled', () => {
    const known = { ...shipped, leftOut: {} }
    assert.deepEqual(compare(opSepolia('karst_time = 1781712001', `karst_time = ${IN_12_DAYS}`), known), [
      'op-sepolia: moves the fork karst from 1781712001 (2026-06-17 16:00:01 UTC, 157 days ago) to 1796342400 (2026-12-04 00:00:00 UTC, in 12 days)',
      'exit 1',
    ])
    const without = networkWithout(shipped, 'karst_time')
    assert.deepEqual(compare({}, { ...without, leftOut: {} }), [
      'op-sepolia: schedules the fork karst at 1781712001 (2026-06-17 16:00:01 UTC, 157 days ago)',
      'exit 1',
    ])
    const taken = compare(
      { ...opSepolia('karst_time =', '# karst_time ='), 'configs/sepolia/superchain.toml': withoutKarst(SEPOLIA_TOML) },
      known,
    )
    assert.deepEqual(taken, [
      'op-sepolia: no longer schedules the fork karst, which was at 1781712001 (2026-06-17 16:00:01 UTC, 157 days ago)',
      'exit 1',
    ])
  })

  it('names a fork that this release does not implement, and the time until it activates', () => {
    const atoll = `atoll_time = ${IN_12_DAYS}`
    const known = { ...shipped, leftOut: {} }
    const found = compare(
      {
        ...opSepolia('[optimism]', `  ${atoll}\n[optimism]`),
        'configs/sepolia/superchain.toml': SEPOLIA_TOML.replace('[l1]', `${atoll}\n[l1]`),
      },
      known,
    )
    const text = 'schedules the fork atoll at 1796342400 (2026-12-04 00:00:00 UTC, in 12 days), which this release does not implement'
    assert.deepEqual(found, [`superchain sepolia: ${text}`, `op-sepolia: ${text}`, 'exit 3'])
  })

  it('names keys that this release does not know', () => {
    const found = compare(opSepolia('block_time = 2', 'block_time = 2\nblock_time_ms = 200'), { ...shipped, leftOut: {} })
    assert.deepEqual(found, ['op-sepolia: has the key block_time_ms, which this release does not know', 'exit 3'])
  })

  it('names changed addresses and settings', () => {
    const portal = '0x16Fc5058F25648194471939df75CF27A2fdC48BC'
    const other = `0x${'Ab'.repeat(20)}`
    assert.deepEqual(compare(opSepolia(portal, other), { ...shipped, leftOut: {} }), [
      `op-sepolia: changes deposit_contract_address from ${portal.toLowerCase()} to ${other.toLowerCase()}`,
      `op-sepolia: changes the address OptimismPortalProxy from ${portal} to ${other}`,
      'exit 1',
    ])
    assert.deepEqual(compare(opSepolia('https://sepolia-sequencer.optimism.io', 'https://new.example'), { ...shipped, leftOut: {} }), [
      'op-sepolia: changes sequencerRpc from https://sepolia-sequencer.optimism.io to https://new.example',
      'exit 1',
    ])
  })

  it('names new and removed chains, and those that can no longer be followed', () => {
    assert.deepEqual(compare({ 'configs/sepolia/twin.toml': OP_SEPOLIA_TOML }), [
      'twin-sepolia: is new (chain 11155420) and can be followed now',
      'lost-sepolia: is no longer in the registry',
      'exit 1',
    ])
    const altDa = OP_SEPOLIA_TOML.replace('eth-da', 'alt-da')
    assert.deepEqual(compare({ 'configs/sepolia/op.toml': null, 'configs/sepolia/lost.toml': altDa }), [
      'lost-sepolia: was left out because it was lost; it stays out because its data is not on L1 (alt-da)',
      'op-sepolia: is no longer in the registry',
      'exit 1',
    ])
    assert.deepEqual(compare({ 'configs/sepolia/op.toml': altDa }, { ...shipped, leftOut: {} }), [
      'op-sepolia: can no longer be followed: its data is not on L1 (alt-da)',
      'exit 1',
    ])
  })

  it('finds a chain that did not inherit a fork of its superchain', () => {
    const known = { ...networkWithout(shipped, 'karst_time'), leftOut: {} }
    assert.deepEqual(compare(opSepolia('karst_time =', '# karst_time ='), known), [
      'op-sepolia: does not list karst_time, although its superchain schedules it: ask which of the two files is right',
      'exit 1',
    ])
  })

  it('reports an unreadable file and continues with the others', () => {
    assert.deepEqual(compare(opSepolia('chain_id = 11155420', 'chain_id = "x"'), { ...shipped, leftOut: {} }), [
      'op-sepolia: cannot be read: sepolia/op: chain_id: expected a whole number, got "x"',
      'exit 3',
    ])
  })
})

describe('scripts/check-upstream.ts', () => {
  it('exits with 2 for a folder that is not a checkout', () => {
    const script = join(import.meta.dirname, '..', 'check-upstream.ts')
    const { status, stderr } = spawnSync(process.execPath, ['--import=tsx', script, tmpdir()], { encoding: 'utf8' })
    assert.equal(status, 2)
    assert.match(stderr, /is not a checkout of the superchain registry: it has no folder superchain\/configs/)
  })
})

describe('the shipped op-sepolia', () => {
  it("equals the registry's", () => {
    const folder = mkdtempSync(join(tmpdir(), 'keelson-registry-'))
    try {
      writeRegistry(folder)
      const registry = openRegistry(folder)
      const [chain] = registry.chains
      const found = readShipped().networks.find(({ name }) => name === 'op-sepolia')
      assert.deepEqual(found?.rollup, chain === undefined ? null : networkTexts(registry, chain).rollup)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

function networkWithout(shipped: Shipped, key: string): Shipped {
  const networks = shipped.networks.map((network) => {
    const { [key]: _, ...rollup } = network.rollup
    return { ...network, rollup }
  })
  return { ...shipped, networks }
}

function withoutKarst(toml: string): string {
  return toml.replace('karst_time =', '# karst_time =')
}
