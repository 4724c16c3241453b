import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { genesisHeader, loadGenesis } from '@keelson/chainspec'
import { loadAddressChecks } from '@keelson/consensus'
import { readGenesisBlock, readL1ChainConfig, readNetworkJson, readPublicNetwork, readRollupConfig } from '@keelson/devnet/network-files'
import { hashHeader, L2_TO_L1_MESSAGE_PASSER, l2Time } from '@keelson/primitives'
import { computeGenesisState } from '@keelson/state'
import { readContracts } from '../commands/bridge/open-network.ts'
import { describeNetwork } from './describe-network.ts'
import { findNetwork, nameOfShipped, networksFolder, shippedNetworks } from './shipped-networks.ts'

const folderOf = (name: string) => join(networksFolder(), name)

describe('the networks that come with the program', () => {
  for (const name of shippedNetworks()) {
    it(`make the first block that the registry states, from the accounts alone: ${name}`, () => {
      const folder = folderOf(name)
      const rollup = readRollupConfig(folder)
      const kept = readGenesisBlock(folder, rollup).header
      assert.equal(hashHeader(kept), rollup.genesis.l2.hash)
      assert.equal(kept.number, rollup.genesis.l2.number)
      if (readPublicNetwork(folder)?.state === 'snapshot') return
      const genesis = loadGenesis(readNetworkJson(folder, 'genesis.json'))
      const state = computeGenesisState(genesis.accounts)
      assert.equal(state.stateRoot, kept.stateRoot)
      const rules = rollup.forks.blockRules(l2Time(genesis.timestampSec))
      const header = genesisHeader(genesis, state.stateRoot, state.storageRoot(L2_TO_L1_MESSAGE_PASSER), rules)
      assert.equal(hashHeader(header), rollup.genesis.l2.hash)
    })
  }

  it('name the L1 that rollup.json is for', () => {
    for (const name of shippedNetworks()) {
      assert.equal(readL1ChainConfig(folderOf(name)).chainId, readRollupConfig(folderOf(name)).l1ChainId, name)
    }
  })

  // Release notes of op-node v1.21.0 and op-reth v2.10.0: 2026-12-10 16:00:01 UTC on Sepolia, 2027-01-11 16:00:01 UTC on Mainnet.
  it('schedule Lagoon where the releases of op-node and op-reth do, and nowhere else', () => {
    const scheduled = shippedNetworks().flatMap((name) => {
      const { lagoon_time: time } = readNetworkJson(folderOf(name), 'rollup.json') as { readonly lagoon_time?: number }
      return time === undefined ? [] : [[name, time]]
    })
    assert.deepEqual(scheduled, [
      ['ink-mainnet', 1_799_683_201],
      ['ink-sepolia', 1_796_918_401],
      ['op-mainnet', 1_799_683_201],
      ['op-sepolia', 1_796_918_401],
      ['soneium-mainnet', 1_799_683_201],
      ['soneium-minato', 1_796_918_401],
      ['unichain-mainnet', 1_799_683_201],
      ['unichain-sepolia', 1_796_918_401],
    ])
  })

  it('stop at Beryl where they are Base, at Lagoon where it is scheduled, and nowhere else', () => {
    const stops = shippedNetworks().flatMap((name) => {
      const fork = readRollupConfig(folderOf(name)).firstUnsupportedFork
      return fork === null ? [] : [[name, fork.name, fork.timeSec]]
    })
    const lagoon = stops.filter(([, fork]) => fork === 'lagoon').map(([name]) => name)
    assert.equal(lagoon.length, 8, lagoon.join(' '))
    // docs.base.org/base-chain/specs/upgrades/beryl/overview
    assert.deepEqual(
      stops.filter(([name]) => !lagoon.includes(name as string)),
      [
        ['base-mainnet', 'beryl', 1_782_410_400],
        ['base-sepolia', 'beryl', 1_781_805_600],
      ],
    )
  })

  it('have L1 contracts for the bridge, and bootnodes that discovery can use', async () => {
    const { bootnodeMistake } = await loadAddressChecks()
    for (const name of shippedNetworks()) {
      const rollup = readRollupConfig(folderOf(name))
      assert.equal(readContracts(folderOf(name), rollup).portal, rollup.depositContract, name)
      const { bootnodes } = readPublicNetwork(folderOf(name)) ?? { bootnodes: [] }
      assert.ok(bootnodes.length > 0, name)
      for (const node of bootnodes) assert.equal(bootnodeMistake(node), null, `${name}: ${node}`)
    }
  })

  it('say whether the superchain registry still lists the chain', () => {
    // The release notes of op-node v1.21.0 name the chains that its copy of the registry lost.
    const lost = shippedNetworks().filter((name) => readPublicNetwork(folderOf(name))?.leftRegistry)
    // superchain-registry pull request 1212 removed Base.
    assert.deepEqual(lost, ['base-mainnet', 'base-sepolia', 'lisk-mainnet'])
    const shown = describeNetwork(folderOf('lisk-mainnet'), 1_796_000_000).join('\n')
    assert.match(
      shown,
      /^registry +no longer lists this chain \(noticed on 2026-11-25, https:\/\/github\.com\/ethereum-optimism\/optimism\//m,
    )
    assert.doesNotMatch(describeNetwork(folderOf('op-sepolia'), 1_796_000_000).join('\n'), /no longer lists/)
  })

  it('name the forks that a chain had after it left the registry, with their dates and sources', () => {
    // docs.base.org/base-chain/specs/upgrades: Beryl, Cobalt and Denim, at 18:00 UTC of these days.
    for (const [name, dates] of [
      ['base-sepolia', ['2026-06-18', '2026-09-23', '2026-10-21']],
      ['base-mainnet', ['2026-06-25', '2026-09-30', '2026-11-05']],
    ] as const) {
      const shown = describeNetwork(folderOf(name), 1_796_000_000)
      const at = shown.indexOf('forks of its operators that this release does not implement:')
      const rows = shown.slice(at + 1).map((line) => /^(\w+) +(\S+ \S+ UTC) +\d+ days ago +(https:\S+)/.exec(line)?.slice(1, 3))
      assert.deepEqual(
        rows,
        ['beryl', 'cobalt', 'denim'].map((fork, i) => [fork, `${dates[i]} 18:00:00 UTC`]),
      )
      // The first of them is the one before which a node stops.
      const { firstUnsupportedFork } = readRollupConfig(folderOf(name))
      assert.equal((firstUnsupportedFork?.timeSec ?? 0) * 1000, Date.parse(`${dates[0]}T18:00:00Z`))
    }
  })

  it('say what is needed where no genesis file makes the first state', () => {
    const folder = folderOf('op-mainnet')
    const { accounts } = readGenesisBlock(folder, readRollupConfig(folder))
    assert.throws(() => [...accounts], {
      code: 'node/usage',
      message: /the state of block 105235063, .* comes from an older chain, .* import a snapshot .* another Keelson node .* db import/,
    })
  })

  it('are not in the list of chains left out, which has a reason for each', () => {
    const leftOut = JSON.parse(readFileSync(join(networksFolder(), 'left-out.json'), 'utf8')) as Record<string, string>
    const sources = shippedNetworks().map((name) => readPublicNetwork(folderOf(name))?.source.chain)
    for (const [id, reason] of Object.entries(leftOut)) {
      assert.ok(!sources.includes(id), `${id} is shipped and left out`)
      assert.ok(reason.length > 0)
    }
    assert.ok(existsSync(join(folderOf('op-sepolia'), 'genesis.json.gz')))
  })
})

describe('a value of --network', () => {
  let folder: string
  let before: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-network-name-'))
    before = process.cwd()
    process.chdir(folder)
  })
  afterEach(() => {
    process.chdir(before)
    rmSync(folder, { recursive: true, force: true })
  })

  it('is the name of a shipped network', () => {
    const found = findNetwork('op-sepolia')
    assert.deepEqual(found, { kind: 'folder', folder: folderOf('op-sepolia') })
    assert.equal(nameOfShipped(folderOf('op-sepolia')), 'op-sepolia')
    assert.equal(nameOfShipped(folder), null)
  })

  it('is a folder when it has a slash, or when a folder of that name holds a rollup.json', () => {
    assert.deepEqual(findNetwork('./op-sepolia'), { kind: 'folder', folder: './op-sepolia' })
    mkdirSync('mine')
    writeFileSync(join('mine', 'rollup.json'), '{}')
    assert.deepEqual(findNetwork('mine'), { kind: 'folder', folder: 'mine' })
  })

  it('is a name although a data folder has it too', () => {
    mkdirSync('op-sepolia')
    assert.deepEqual(findNetwork('op-sepolia'), { kind: 'folder', folder: folderOf('op-sepolia') })
  })

  it('gets similar names when no network has it', () => {
    assert.deepEqual(findNetwork('op-sepola'), { kind: 'unknown', closest: ['op-sepolia', 'op-mainnet'] })
    assert.deepEqual(findNetwork('zora'), { kind: 'unknown', closest: ['zora-mainnet', 'zora-sepolia'] })
    assert.deepEqual(findNetwork('fantasy'), { kind: 'unknown', closest: [] })
  })
})
