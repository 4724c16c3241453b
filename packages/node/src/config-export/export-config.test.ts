import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareNetwork } from '@keelson/devnet'
import { readGenesisBlock, readRollupConfig } from '@keelson/devnet/network-files'
import { createPureCrypto, hashHeader } from '@keelson/primitives'
import { createTestEngine } from '../../../../test/support/test-engine.ts'
import { configCommand } from '../commands/config.ts'
import { networksFolder } from '../networks/shipped-networks.ts'
import { exportConfig } from './export-config.ts'

type Json = Record<string, unknown>

/** Keys in the programs' sources; the programs reject others. */
const OP_NODE_2024_10 = new Set([
  ...['genesis', 'block_time', 'max_sequencer_drift', 'seq_window_size', 'channel_timeout', 'l1_chain_id', 'l2_chain_id'],
  ...['regolith_time', 'canyon_time', 'delta_time', 'ecotone_time', 'fjord_time', 'granite_time', 'holocene_time', 'interop_time'],
  ...['batch_inbox_address', 'deposit_contract_address', 'l1_system_config_address', 'protocol_versions_address', 'alt_da'],
])
const KONA = new Set([
  ...OP_NODE_2024_10,
  ...['pectra_blob_schedule_time', 'isthmus_time', 'jovian_time', 'granite_channel_timeout', 'superchain_config_address'],
  ...['blobs_data', 'da_challenge_address', 'interop_message_expiry_window', 'chain_op_config'],
])

describe('config export', () => {
  let root: string
  let holocene: string
  let jovian: string
  const engine = () => createTestEngine({ crypto: createPureCrypto() })
  const prepare = async (name: string, fork: 'holocene' | 'jovian', l1Fork: 'cancun' | 'prague') => {
    const folder = join(root, name)
    await prepareNetwork(folder, { fork, l1Fork, symbol: null, allowSameChainId: false }, 1_700_000_000_000, engine)
    return folder
  }
  const edit = (folder: string, change: (rollup: Json) => void) => {
    const file = join(folder, 'rollup.json')
    const rollup = JSON.parse(readFileSync(file, 'utf8')) as Json
    change(rollup)
    writeFileSync(file, JSON.stringify(rollup))
  }
  const file = (folder: string, target: Parameters<typeof exportConfig>[1], name: 'rollup.json' | 'genesis.json' | 'l1-chain.json') =>
    exportConfig(folder, target).files.get(name) as Json

  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'keelson-export-'))
    holocene = await prepare('holocene', 'holocene', 'cancun')
    jovian = await prepare('jovian', 'jovian', 'prague')
  })
  after(() => rmSync(root, { recursive: true }))
  afterEach(() => {
    for (const folder of [holocene, jovian]) {
      edit(folder, (rollup) => {
        rollup.l1_chain_id = 900_084
        delete rollup.pectra_blob_schedule_time
      })
    }
  })

  it('gives a registry genesis, which has no config, the fork times as op-geth takes them from the registry', () => {
    const { config, alloc } = file(join(networksFolder(), 'op-sepolia'), 'current', 'genesis.json') as { config: Json; alloc: Json }
    // superchain/configs/sepolia/op.toml; op-geth params/superchain.go pairs Shanghai with Canyon, Cancun with Ecotone, Prague
    // with Isthmus.
    const expected = {
      chainId: 11_155_420,
      bedrockBlock: 0,
      regolithTime: 0,
      canyonTime: 1_699_981_200,
      shanghaiTime: 1_699_981_200,
      ecotoneTime: 1_708_534_800,
      cancunTime: 1_708_534_800,
      isthmusTime: 1_744_905_600,
      pragueTime: 1_744_905_600,
      jovianTime: 1_763_568_001,
      karstTime: 1_781_712_001,
    }
    assert.deepEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, config[key]])), expected)
    assert.deepEqual(config.optimism, { eip1559Elasticity: 6, eip1559Denominator: 50, eip1559DenominatorCanyon: 250 })
    assert.equal(Object.keys(alloc).length, 2066)
  })

  it('leaves out the genesis of a chain that continues an older one, and says so', () => {
    const { files, flags } = exportConfig(join(networksFolder(), 'op-mainnet'), 'current')
    assert.deepEqual([...files.keys()], ['rollup.json', 'l1-chain.json'])
    assert.ok(flags.some((flag) => /instead of a genesis\.json: the first state comes from an older chain/.test(flag)))
  })

  it('op-node-2024-10: only keys it knows, and the same chain without them', () => {
    const { files, flags } = exportConfig(holocene, 'op-node-2024-10')
    assert.deepEqual([...files.keys()], ['rollup.json'])
    const rollup = files.get('rollup.json') as Json
    assert.deepEqual(
      Object.keys(rollup).filter((key) => !OP_NODE_2024_10.has(key)),
      [],
    )
    const system = (rollup.genesis as { system_config: Json }).system_config
    assert.deepEqual(Object.keys(system), ['batcherAddr', 'overhead', 'scalar', 'gasLimit', 'eip1559Params'])
    assert.equal(rollup.holocene_time, 0)
    assert.deepEqual(flags, ['--rollup.config rollup.json'])
  })

  it('op-node-2024-10: refuses equal chain ids before op-node does, and says what to change', () => {
    edit(holocene, (rollup) => {
      rollup.l1_chain_id = rollup.l2_chain_id
    })
    for (const target of ['op-node-2024-10', 'current'] as const) {
      assert.throws(() => exportConfig(holocene, target), {
        code: 'node/usage',
        message: /refuses a rollup whose l1_chain_id and l2_chain_id are the same, and both are 84532; give L1 another chain id/,
      })
    }
    assert.equal((file(holocene, 'op-geth-2024-10', 'genesis.json').config as Json).chainId, 84_532)
  })

  it('op-node-2024-10 and op-geth-2024-10: refuse a network with a fork they do not know', () => {
    for (const target of ['op-node-2024-10', 'op-geth-2024-10'] as const) {
      assert.throws(() => exportConfig(jovian, target), {
        message: /newest fork is holocene, and this network has isthmus; make one with npx keelson devnet --fork holocene/,
      })
    }
  })

  it('current: refuses the fork of another lineage, and leaves one this release does not implement to the program', () => {
    edit(holocene, (rollup) =>
      Object.assign(rollup, { isthmus_time: 4_000_000_000, jovian_time: 4_000_000_001, atoll_time: 5_000_000_000 }),
    )
    assert.equal(file(holocene, 'current', 'rollup.json').atoll_time, 5_000_000_000)
    edit(holocene, (rollup) => Object.assign(rollup, { base: { azul: 4_000_000_001 } }))
    assert.throws(() => exportConfig(holocene, 'current'), { message: /newest fork is lagoon, and this network has azul/ })
    edit(holocene, (rollup) => {
      for (const key of ['isthmus_time', 'jovian_time', 'base']) delete rollup[key]
    })
    assert.throws(() => exportConfig(holocene, 'op-geth-2024-10'), { message: /newest fork is holocene, and this network has atoll/ })
    edit(holocene, (rollup) => {
      delete rollup.atoll_time
    })
  })

  it('op-node-2024-10: refuses a key that it does not know and that changes the chain', () => {
    edit(holocene, (rollup) => {
      rollup.pectra_blob_schedule_time = 1_700_000_100
    })
    assert.throws(() => exportConfig(holocene, 'op-node-2024-10'), { message: /does not know pectra_blob_schedule_time, which changes/ })
    assert.equal(file(holocene, 'kona', 'rollup.json').pectra_blob_schedule_time, 1_700_000_100)
  })

  it('op-node-2024-10: names the flag without which a newer L1 has no block hash it can check', async () => {
    const onPrague = await prepare('holocene-on-prague', 'holocene', 'prague')
    const { flags } = exportConfig(onPrague, 'op-node-2024-10')
    assert.match(flags.at(-1) ?? '', /^--l1\.trustrpc: L1 has pragueTime, and it does not know requestsHash/)
  })

  it('op-geth-2024-10: a genesis with the keys it reads, and the same first block', () => {
    const genesis = file(holocene, 'op-geth-2024-10', 'genesis.json')
    const config = genesis.config as Json
    assert.equal(config.holoceneTime, 0)
    for (const key of ['deltaTime', 'blobSchedule', 'isthmusTime', 'pragueTime']) assert.equal(key in config, false, key)
    const folder = mkdtempSync(join(root, 'first-block-'))
    writeFileSync(join(folder, 'genesis.json'), JSON.stringify(genesis))
    const rollup = readRollupConfig(holocene)
    assert.equal(hashHeader(readGenesisBlock(folder, rollup).header), rollup.genesis.l2.hash)
  })

  it('kona: only keys it knows, and the L1 chain config that it has for public chains alone', () => {
    const { files } = exportConfig(jovian, 'kona')
    assert.deepEqual([...files.keys()], ['rollup.json', 'l1-chain.json'])
    assert.deepEqual(
      Object.keys(files.get('rollup.json') as Json).filter((key) => !KONA.has(key)),
      [],
    )
    const l1 = files.get('l1-chain.json') as { chainId: number; blobSchedule: Json }
    assert.equal(l1.chainId, 900_084)
    assert.deepEqual(Object.keys(l1.blobSchedule), ['cancun', 'prague'])
  })

  it('current: everything as it is, and what is ours alone not', async () => {
    const out = join(root, 'out')
    const run = () => configCommand.run({ for: 'current', network: jovian, out }, { positional: ['export'], version: '0' })
    assert.equal(await run(), 0)
    assert.deepEqual(readdirSync(out).sort(), ['genesis.json', 'l1-chain.json', 'rollup.json'])
    const read = (folder: string, name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Json
    for (const name of readdirSync(out)) assert.deepEqual(read(out, name), read(jovian, name), name)
  })

  it('takes export alone, and never writes over the network it reads', async () => {
    const values = { for: 'kona', network: jovian, out: jovian } as const
    await assert.rejects(configCommand.run(values, { positional: [], version: '0' }), { code: 'node/usage', message: /takes export/ })
    const context = { positional: ['export'], version: '0' }
    await assert.rejects(configCommand.run(values, context), { code: 'node/usage', message: /would be written over/ })
  })
})
