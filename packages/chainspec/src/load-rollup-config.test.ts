import assert from 'node:assert/strict'
import { l2Time, type OriginTimeSec } from '@keelson/primitives'
import { ChainspecError } from './errors.ts'
import { loadRollupConfig, type RollupConfigOptions, rollupConfigToJson } from './load-rollup-config.ts'
import { printSchedule } from './print-schedule.ts'
import { forkLimitOf } from './unsupported-l2-fork.ts'

/** OP Sepolia, as op-node writes it. */
const SEPOLIA = {
  genesis: {
    l1: { hash: '0x48f520cf4ddaf34c8336e6e490632ea3cf1e5e93b0b2bc6e917557e31845371b', number: 4071408 },
    l2: { hash: '0x102de6ffb001480cc9b8b548fd05c34cd4f46ae4aa91759393db90ea0409887d', number: 0 },
    l2_time: 1691802540,
    system_config: {
      batcherAddr: '0x8F23BB38F531600e5d8FDDaAEC41F13FaB46E98c',
      overhead: '0x00000000000000000000000000000000000000000000000000000000000000bc',
      scalar: '0x00000000000000000000000000000000000000000000000000000000000a6fe0',
      gasLimit: 30000000,
      eip1559Params: '0x0000000000000000',
      operatorFeeParams: '0x0000000000000000000000000000000000000000000000000000000000000000',
      minBaseFee: 0,
      daFootprintGasScalar: 0,
    },
  },
  block_time: 2,
  max_sequencer_drift: 600,
  seq_window_size: 3600,
  channel_timeout: 300,
  l1_chain_id: 11155111,
  l2_chain_id: 11155420,
  regolith_time: 0,
  canyon_time: 1699981200,
  delta_time: 1703203200,
  ecotone_time: 1708534800,
  fjord_time: 1716998400,
  granite_time: 1723478400,
  holocene_time: 1732633200,
  isthmus_time: 1744905600,
  jovian_time: 1763568001,
  pectra_blob_schedule_time: 1742486400,
  batch_inbox_address: '0xff00000000000000000000000000000011155420',
  deposit_contract_address: '0x16fc5058f25648194471939df75cf27a2fdc48bc',
  l1_system_config_address: '0x034edd2a225f7f429a63e0f1d2084b9e0a93b538',
  protocol_versions_address: '0x79add5713b383daa0a138d3c4780c7a1804a8090',
  chain_op_config: { eip1559Elasticity: 6, eip1559Denominator: 50, eip1559DenominatorCanyon: 250 },
}

function mistakesOf(json: unknown, options?: RollupConfigOptions): readonly string[] {
  try {
    loadRollupConfig(json, options)
  } catch (error) {
    assert.ok(error instanceof ChainspecError)
    assert.equal(error.code, 'chainspec/rollup-config')
    return error.mistakes
  }
  return []
}

const without = (...keys: readonly string[]) => Object.fromEntries(Object.entries(SEPOLIA).filter(([key]) => !keys.includes(key)))

describe('rollup config', () => {
  it('reads a public file and writes the same one', () => {
    const config = loadRollupConfig(SEPOLIA)
    assert.equal(config.l2ChainId, 11155420n)
    assert.equal(config.genesis.systemConfig.batcherAddress, '0x8f23bb38f531600e5d8fddaaec41f13fab46e98c')
    assert.equal(config.forks.forkAt(l2Time(1732633200)), 'holocene')
    assert.equal(config.pectraBlobScheduleTimeSec, 1742486400)
    assert.equal(config.forks.originRules(1716998399 as OriginTimeSec).maxSequencerDriftSec, null)
    const written = rollupConfigToJson(config)
    const expected = JSON.parse(
      JSON.stringify(SEPOLIA).replace('0x8F23BB38F531600e5d8FDDaAEC41F13FaB46E98c', '0x8f23bb38f531600e5d8fddaaec41f13fab46e98c'),
    )
    assert.deepEqual(JSON.parse(JSON.stringify(written)), expected)
    assert.ok(Object.isFrozen(config))
  })

  it('reads the operator fee from its packed form', () => {
    const system_config = { ...SEPOLIA.genesis.system_config, operatorFeeParams: `0x${'00'.repeat(20)}${'00000007'}${'0000000000000309'}` }
    const { genesis } = loadRollupConfig({ ...SEPOLIA, genesis: { ...SEPOLIA.genesis, system_config } })
    assert.equal(genesis.systemConfig.operatorFeeScalar, 7)
    assert.equal(genesis.systemConfig.operatorFeeConstant, 0x309n)
    const written = rollupConfigToJson(loadRollupConfig({ ...SEPOLIA, genesis: { ...SEPOLIA.genesis, system_config } }))
    assert.deepEqual((written.genesis as { system_config: unknown }).system_config, {
      ...system_config,
      batcherAddr: system_config.batcherAddr.toLowerCase(),
    })
  })

  it('writes no key that clients before its fork would refuse', () => {
    const early = rollupConfigToJson(loadRollupConfig(without('holocene_time', 'isthmus_time', 'jovian_time')))
    assert.deepEqual(Object.keys((early.genesis as { system_config: object }).system_config), [
      'batcherAddr',
      'overhead',
      'scalar',
      'gasLimit',
    ])
  })

  it('fills in what public files leave out', () => {
    const config = loadRollupConfig(without('chain_op_config', 'protocol_versions_address', 'pectra_blob_schedule_time'))
    assert.deepEqual(config.eip1559, { elasticity: 6, denominator: 50, denominatorCanyon: 250 })
    assert.equal(config.protocolVersionsContract, null)
    assert.equal(config.pectraBlobScheduleTimeSec, null)
    assert.deepEqual(mistakesOf({ ...SEPOLIA, interop_time: null, alt_da: null, da_challenge_window: 0 }), [])
  })

  it('keeps a fork it does not implement, and writes it again', () => {
    const json = { ...SEPOLIA, atoll_time: 1800000000, reef_time: 1900000000 }
    const config = loadRollupConfig(json)
    assert.deepEqual([config.firstUnsupportedFork?.name, config.firstUnsupportedFork?.timeSec], ['atoll', 1800000000])
    const { atoll_time, reef_time } = rollupConfigToJson(config)
    assert.deepEqual([atoll_time, reef_time], [1800000000, 1900000000])
    assert.equal(loadRollupConfig(SEPOLIA).firstUnsupportedFork, null)
  })

  it('refuses two forks from Jovian on at one time after genesis', () => {
    const mistakes = mistakesOf({ ...SEPOLIA, karst_time: SEPOLIA.jovian_time })
    assert.deepEqual(mistakes, ['forks jovian and karst are both set to 1763568001; from Jovian on, each fork needs a time of its own'])
    const genesis = { ...SEPOLIA.genesis, l2_time: SEPOLIA.jovian_time }
    assert.deepEqual(mistakesOf({ ...SEPOLIA, genesis, karst_time: SEPOLIA.jovian_time }), [])
  })

  const LAGOON_SEPOLIA = { ...SEPOLIA, karst_time: 1781712001, lagoon_time: 1796918401 }

  it('stops before a fork whose upgrade transactions are not confirmed, on a public L1 only, and writes it again', () => {
    const config = loadRollupConfig(LAGOON_SEPOLIA)
    assert.equal(config.forks.activationTimeSec('lagoon'), null)
    assert.deepEqual([config.firstUnsupportedFork?.name, config.firstUnsupportedFork?.timeSec], ['lagoon', 1796918401])
    assert.equal(rollupConfigToJson(config).lagoon_time, 1796918401)
    assert.match(
      forkLimitOf(config)?.sentence ?? '',
      /^stopped before fork lagoon: .* does not know its final upgrade transactions \(.*\), .*; install a release that has them, or put lagoon_nut_bundle\.json .* upgrade-lagoon\.json and start it with the same data$/,
    )
    const own = loadRollupConfig({ ...LAGOON_SEPOLIA, l1_chain_id: 900 })
    assert.deepEqual([own.forks.activationTimeSec('lagoon'), own.firstUnsupportedFork], [1796918401, null])
    // op-node's former key for Lagoon
    const { lagoon_time, ...former } = LAGOON_SEPOLIA
    assert.equal(loadRollupConfig({ ...former, interop_time: lagoon_time }).firstUnsupportedFork?.name, 'lagoon')
  })

  it('crosses a fork on a public L1 with the upgrade transactions that the network has as a file', () => {
    const lagoon = { transactions: [Uint8Array.of(0x7e)], gas: 10n, extraGas: 5n }
    const config = loadRollupConfig(LAGOON_SEPOLIA, { upgradeBundles: { lagoon } })
    assert.equal(config.firstUnsupportedFork, null)
    const { upgradeTransactions, upgradeGas } = config.forks.transition(l2Time(1796918400), l2Time(1796918402))
    assert.deepEqual([upgradeTransactions, upgradeGas], [lagoon.transactions, 15n])
  })

  it('always counts the chain itself to its dependency set', () => {
    assert.deepEqual(loadRollupConfig(SEPOLIA).dependencySet, [11155420n])
    assert.deepEqual(loadRollupConfig(SEPOLIA, { dependencySet: [11155420n, 1301n] }).dependencySet, [1301n, 11155420n])
  })

  it('takes a name for a fork that JavaScript objects have as a property', () => {
    const nameOf = (json: object) => loadRollupConfig({ ...SEPOLIA, ...json }).firstUnsupportedFork?.name
    assert.equal(nameOf({ constructor_time: 1800000000 }), 'constructor')
    assert.equal(nameOf({ base: { constructor: 1800000000 } }), 'constructor')
    assert.match(mistakesOf({ ...SEPOLIA, constructor: 1 })[0] ?? '', /^constructor is not a key of a rollup config/)
  })

  it('refuses a fork it does not implement where it is in force at genesis, or has no time', () => {
    assert.match(
      mistakesOf({ ...SEPOLIA, atoll_time: 0 })[0] ?? '',
      /^fork atoll is in force at genesis .* can follow no block of this chain/,
    )
    assert.match(mistakesOf({ ...SEPOLIA, atoll_time: 'soon' })[0] ?? '', /^atoll_time: expected a whole number/)
  })

  // base/base crates/common/genesis/src/chain/upgrade.rs, `BaseUpgradeConfig`; times: docs.base.org/base-chain/specs/upgrades
  it('reads the forks of Base from the object of base-consensus, and writes the same', () => {
    const base = { azul: 1776708000, beryl: 1781805600, cobalt: null }
    const config = loadRollupConfig({ ...SEPOLIA, base })
    assert.equal(config.forks.activationTimeSec('azul'), 1776708000)
    assert.deepEqual([config.firstUnsupportedFork?.name, config.firstUnsupportedFork?.timeSec], ['beryl', 1781805600])
    assert.deepEqual(rollupConfigToJson(config).base, { azul: 1776708000, beryl: 1781805600 })
    const former = loadRollupConfig({ ...SEPOLIA, base: { v1: 1776708000, v2: 1781805600 } })
    assert.deepEqual([former.forks.forkAt(l2Time(1776708000)), former.firstUnsupportedFork?.name], ['azul', 'beryl'])
    assert.equal(loadRollupConfig({ ...SEPOLIA, base: {} }).firstUnsupportedFork, null)
  })

  it('says where the time of a fork belongs', () => {
    assert.deepEqual(mistakesOf({ ...SEPOLIA, azul_time: 1776708000 }), [
      'azul_time: the time of azul belongs into the object "base": { "azul": ... }',
    ])
    assert.deepEqual(mistakesOf({ ...SEPOLIA, base: { karst: 1776708000 } }), ['base.karst: the time of karst belongs under karst_time'])
    assert.match(mistakesOf({ ...SEPOLIA, base: { azul: 1776708000, v1: 1776708000 } })[0] ?? '', /^base\.v1 is another name of azul/)
    assert.match(mistakesOf({ ...SEPOLIA, base: { 'no fork': 1 } })[0] ?? '', /^base\.no fork is not the name of a fork/)
    assert.match(mistakesOf({ ...SEPOLIA, base: 7 })[0] ?? '', /^base: expected an object/)
  })

  it('takes the channel timeout that base-consensus and kona state, and no other one', () => {
    assert.deepEqual(mistakesOf({ ...SEPOLIA, granite_channel_timeout: 50 }), [])
    assert.match(mistakesOf({ ...SEPOLIA, granite_channel_timeout: 51 })[0] ?? '', /^granite_channel_timeout: expected 50, .* got 51$/)
  })

  it('refuses what it would silently not do', () => {
    assert.match(
      mistakesOf({ ...SEPOLIA, alt_da: { da_commitment_type: 'KeccakCommitment' } })[0] ?? '',
      /^alt_da: data availability outside L1 is not supported/,
    )
    assert.match(mistakesOf({ ...SEPOLIA, block_tiem: 2 })[0] ?? '', /^block_tiem is not a key of a rollup config/)
    const system_config = { ...SEPOLIA.genesis.system_config, gasLimitt: 1 }
    assert.match(
      mistakesOf({ ...SEPOLIA, genesis: { ...SEPOLIA.genesis, system_config } })[0] ?? '',
      /^genesis\.system_config\.gasLimitt is not a key/,
    )
  })

  it('reports every mistake of a file at once, with its path', () => {
    const mistakes = mistakesOf({
      ...without('seq_window_size'),
      block_time: 0,
      l1_chain_id: '1',
      delta_time: 1,
      batch_inbox_address: '0x00',
      deposit_contract_address: `0x${'00'.repeat(20)}`,
      genesis: { ...SEPOLIA.genesis, l1: { hash: '0x12', number: -1 }, l2: null },
    })
    for (const expected of [
      /^fork delta is set to 1, before canyon at 1699981200$/,
      /^l1_chain_id: expected a whole number .* got "1"$/,
      /^block_time: must be above 0$/,
      /^seq_window_size is missing$/,
      /^batch_inbox_address: expected 20 bytes of hex/,
      /^deposit_contract_address: must not be the zero address$/,
      /^genesis\.l1\.hash: expected 32 bytes of hex/,
      /^genesis\.l1\.number: expected a whole number/,
      /^genesis\.l2 is missing$/,
    ]) {
      assert.equal(mistakes.filter((mistake) => expected.test(mistake)).length, 1, `${expected}\n${mistakes.join('\n')}`)
    }
    assert.equal(mistakes.length, 9)
  })

  it('checks what only holds between fields', () => {
    assert.match(mistakesOf({ ...SEPOLIA, l1_chain_id: SEPOLIA.l2_chain_id })[0] ?? '', /both 11155420: .* --allow-same-chain-id/)
    assert.deepEqual(mistakesOf({ ...SEPOLIA, l1_chain_id: SEPOLIA.l2_chain_id }, { allowSameChainId: true }), [])
    assert.match(mistakesOf({ ...SEPOLIA, seq_window_size: 1 })[0] ?? '', /at least 2, got 1/)
    assert.match(mistakesOf({ ...SEPOLIA, genesis: { ...SEPOLIA.genesis, l2: SEPOLIA.genesis.l1 } })[0] ?? '', /the same block/)
    assert.match(mistakesOf(without('max_sequencer_drift'))[0] ?? '', /max_sequencer_drift must be above 0/)
    assert.deepEqual(mistakesOf({ ...without('max_sequencer_drift'), canyon_time: 0, delta_time: 0, ecotone_time: 0, fjord_time: 0 }), [])
    assert.match(mistakesOf([])[0] ?? '', /document: expected an object/)
  })
})

describe('printed schedule', () => {
  it('says for each fork when and whether', () => {
    const config = loadRollupConfig({ ...SEPOLIA, canyon_time: 0 })
    const lines = printSchedule(config, 1744905600 - 7200).split('\n')
    assert.equal(lines.length, 12)
    assert.match(lines[2] ?? '', /^canyon +genesis +active$/)
    assert.match(lines[3] ?? '', /^delta +1703203200 {2}2023-12-22 00:00:00 UTC +active$/)
    assert.match(lines[8] ?? '', /^isthmus +1744905600 .* in 2 h$/)
    assert.match(lines[9] ?? '', /^jovian .* in 216 days$/)
    assert.match(lines[10] ?? '', /^karst +- +not scheduled$/)
  })

  it("lists the forks of the chain's own lineage, and last one it does not implement", () => {
    const base = { azul: 1776708000, beryl: 1781805600 }
    const lines = printSchedule(loadRollupConfig({ ...SEPOLIA, base }), 1781805600 - 7200).split('\n')
    assert.equal(lines.length, 12)
    assert.match(lines[10] ?? '', /^azul +1776708000 {2}2026-04-20 18:00:00 UTC +active$/)
    assert.match(lines[11] ?? '', /^beryl +1781805600 {2}2026-06-18 18:00:00 UTC +in 2 h, not implemented by this release$/)
  })
})
