import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OriginTimeSec } from '@keelson/primitives'
import { ChainspecError } from './errors.ts'
import { ethParameters } from './forks/eth-parameters.ts'
import { blobBaseFeeWei, blobParametersAt, originBlobParameters } from './l1-chain.ts'
import { createL1Schedule, l1ConfigAtGenesis, l1ForkRules, l1TransactionRules } from './l1-schedule.ts'
import { l1ChainConfigToJson, loadL1ChainConfig } from './load-l1-chain.ts'
import type { RollupConfig } from './rollup-config.ts'
import { ETH_FORKS } from './rules.ts'

const chainFile = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, `../../../config/l1-chains/${name}.json`), 'utf8'))
const MAINNET = chainFile('mainnet')
const SEPOLIA = chainFile('sepolia')
/** 2026-10-06 13:53:36 UTC: go-ethereum params/chainspecs/sepolia.json. */
const SEPOLIA_AMSTERDAM_SEC = 1791294816

const mistakesOf = (json: unknown): readonly string[] => {
  try {
    loadL1ChainConfig(json)
  } catch (error) {
    assert.ok(error instanceof ChainspecError && error.code === 'chainspec/l1-chain')
    return error.mistakes
  }
  return []
}

describe('L1 chain config', () => {
  it('reads the config of a public chain, on its own or inside a genesis file', () => {
    const config = loadL1ChainConfig(MAINNET)
    assert.equal(config.chainId, 1n)
    assert.deepEqual(loadL1ChainConfig({ config: MAINNET, alloc: {} }), config)
    assert.deepEqual(
      config.blobSchedule.map((entry) => entry.name),
      ['cancun', 'prague', 'bpo1', 'bpo2'],
    )
    assert.deepEqual(loadL1ChainConfig(JSON.parse(JSON.stringify(l1ChainConfigToJson(config)))), config)
  })

  it('finds blob parameters by time, blob-only forks included', () => {
    const config = loadL1ChainConfig(MAINNET)
    const nameAt = (time: number) => blobParametersAt(config, time)?.name ?? null
    assert.equal(nameAt(1710338134), null)
    assert.equal(nameAt(1710338135), 'cancun')
    assert.equal(nameAt(1746612311), 'prague')
    assert.equal(nameAt(1765290070), 'prague', 'Osaka brings no parameters of its own')
    assert.equal(nameAt(1765290071), 'bpo1')
    assert.equal(nameAt(2_000_000_000), 'bpo2')
  })

  it('round-trips a chain with everything from the start', () => {
    // geth activates Petersburg with Constantinople unless it has its own block
    const alone = loadL1ChainConfig(l1ChainConfigToJson(l1ConfigAtGenesis(900n, 'constantinople')))
    assert.deepEqual(alone, l1ConfigAtGenesis(900n, 'petersburg'))
    for (const fork of ETH_FORKS.filter((name) => name !== 'constantinople')) {
      const config = l1ConfigAtGenesis(900n, fork)
      assert.deepEqual(loadL1ChainConfig(JSON.parse(JSON.stringify(l1ChainConfigToJson(config)))), config, fork)
    }
  })

  it('reads the public chains as go-ethereum schedules them', () => {
    const facts = ['mainnet', 'sepolia', 'hoodi'].map((name) => {
      const { chainId, forks, blobSchedule, firstUnsupportedFork } = loadL1ChainConfig(chainFile(name))
      const timeOf = (fork: string) => forks.find((entry) => entry.fork === fork)?.fromTimeSec ?? null
      const bpo = blobSchedule.filter(({ name: entry }) => entry.startsWith('bpo')).map(({ fromTimeSec }) => fromTimeSec)
      return [chainId, timeOf('prague'), timeOf('osaka'), ...bpo, timeOf('amsterdam'), firstUnsupportedFork]
    })
    assert.deepEqual(facts, [
      [1n, 1746612311, 1764798551, 1765290071, 1767747671, null, null],
      [11_155_111n, 1741159776, 1760427360, 1761017184, 1761607008, SEPOLIA_AMSTERDAM_SEC, null],
      [560_048n, 1742999832, 1761677592, 1762365720, 1762955544, null, null],
    ])
  })

  it('keeps the blob parameters of the last blob fork across Amsterdam, unless it has its own', () => {
    const at = (json: object) => blobParametersAt(loadL1ChainConfig(json), SEPOLIA_AMSTERDAM_SEC)
    assert.equal(at(SEPOLIA)?.name, 'bpo2')
    const amsterdam = { target: 20, max: 30, baseFeeUpdateFraction: 16_692_346 }
    assert.equal(at({ ...SEPOLIA, blobSchedule: { ...SEPOLIA.blobSchedule, amsterdam } })?.target, 20)
  })

  it('keeps the earliest scheduled fork that this release does not implement, with or without blob parameters', () => {
    const unsupported = (json: object) => loadL1ChainConfig(json).firstUnsupportedFork
    assert.equal(unsupported(SEPOLIA), null)
    assert.equal(unsupported({ ...SEPOLIA, bogotaTime: null }), null)
    const scheduled = {
      ...SEPOLIA,
      verkleTime: 1_900_000_000,
      bogotaTime: 1_850_000_000,
      blobSchedule: { ...SEPOLIA.blobSchedule, bogota: { target: 'not read' } },
    }
    assert.deepEqual(unsupported(scheduled), { name: 'bogota', timeSec: 1_850_000_000 })
    assert.deepEqual(unsupported(l1ChainConfigToJson(loadL1ChainConfig(scheduled))), { name: 'bogota', timeSec: 1_850_000_000 })
    assert.match(mistakesOf({ ...SEPOLIA, bogotaTime: 'soon' })[0] ?? '', /^bogotaTime: /)
    assert.equal(unsupported({ ...SEPOLIA, Time: 5 }), null, 'a fork has a name')
  })

  it('refuses holes in the blob schedule and times out of order', () => {
    assert.match(mistakesOf({ ...MAINNET, blobSchedule: undefined })[0] ?? '', /^blobSchedule is missing/)
    assert.match(mistakesOf({ ...MAINNET, bpo3Time: 1800000000 })[0] ?? '', /bpo3Time is set, but blobSchedule\.bpo3 is missing/)
    assert.match(mistakesOf({ ...MAINNET, pragueTime: 1 })[0] ?? '', /^prague is set to 1, before cancun/)
    const blobSchedule = { ...MAINNET.blobSchedule, prague: { target: 10, max: 9, baseFeeUpdateFraction: 1 } }
    assert.match(mistakesOf({ ...MAINNET, blobSchedule })[0] ?? '', /prague.*target 10 is above max 9/)
    assert.match(mistakesOf({ ...SEPOLIA, amsterdamTime: 1 })[0] ?? '', /^amsterdam is set to 1, before osaka/)
    assert.match(mistakesOf({}).join(), /chainId is missing/)
  })
})

describe('blob base fee', () => {
  // EIP-4844: each (max - target) of excess multiplies the fee by about 1.125.
  const cancun = { name: 'cancun', fromTimeSec: 0, target: 3, max: 6, baseFeeUpdateFraction: 3_338_477n }

  it('follows the examples of go-ethereum for Cancun', () => {
    const cases: readonly (readonly [bigint, bigint])[] = [
      [0n, 1n],
      [2_314_057n, 1n],
      [2_314_058n, 2n],
      [10n * 1024n * 1024n, 23n],
    ]
    for (const [excess, fee] of cases) assert.equal(blobBaseFeeWei(excess, cancun), fee, String(excess))
  })

  it('is e to the excess over the fraction, within rounding', () => {
    for (const factor of [5, 10, 20, 30]) {
      const fee = Number(blobBaseFeeWei(BigInt(factor) * cancun.baseFeeUpdateFraction, cancun))
      assert.ok(Math.abs(fee / Math.exp(factor) - 1) < 0.01, `e^${factor}: ${fee}`)
    }
  })

  it('stays within 256 bits for any excess that a header can state', () => {
    const most = 2n ** 256n - 1n
    assert.equal(blobBaseFeeWei(178n * cancun.baseFeeUpdateFraction, cancun), most)
    assert.equal(blobBaseFeeWei(2n ** 64n - 1n, cancun), most)
    // e^177 is 7.4e76, 2^256 is 1.2e77
    assert.ok(blobBaseFeeWei(177n * cancun.baseFeeUpdateFraction, cancun) < most)
  })

  it('is one wei where there are no blobs', () => {
    assert.equal(blobBaseFeeWei(10n ** 9n, null), 1n)
  })

  it('stays with Cancun parameters until the time a chain is configured for', () => {
    const l1 = loadL1ChainConfig(MAINNET)
    const at = (time: number, until: number | null) =>
      originBlobParameters(l1, { pectraBlobScheduleTimeSec: until } as RollupConfig, time as OriginTimeSec)?.name
    assert.equal(at(1746612400, null), 'prague')
    assert.equal(at(1746612400, 1746700000), 'cancun')
    assert.equal(at(1746700000, 1746700000), 'prague')
    assert.equal(at(1710338134, 1746700000), 'cancun')
  })
})

describe('L1 rules', () => {
  it('change with the block number and then with time', () => {
    const schedule = createL1Schedule(loadL1ChainConfig({ ...MAINNET, mergeNetsplitBlock: 15537394 }))
    const cases: readonly (readonly [number, number, string])[] = [
      [0, 0, 'frontier'],
      [1149999, 1, 'frontier'],
      [1150000, 1, 'homestead'],
      [2675000, 1, 'spurious'],
      [7280000, 1, 'petersburg'],
      [12965000, 1, 'london'],
      [15537394, 1663224179, 'paris'],
      [17034870, 1681338455, 'shanghai'],
      [19426587, 1710338135, 'cancun'],
      [25000000, 1900000000, 'osaka'],
    ]
    const sepolia = createL1Schedule(loadL1ChainConfig(SEPOLIA))
    assert.equal(sepolia.forkAt(11_000_000, SEPOLIA_AMSTERDAM_SEC - 1), 'osaka')
    assert.equal(sepolia.forkAt(11_000_000, SEPOLIA_AMSTERDAM_SEC), 'amsterdam')
    const headerFields = [SEPOLIA_AMSTERDAM_SEC - 1, SEPOLIA_AMSTERDAM_SEC].map((time) => sepolia.blockRules(1, time).blockAccessList)
    assert.deepEqual(headerFields, [false, true])
    for (const [number, time, fork] of cases) assert.equal(schedule.forkAt(number, time), fork, `block ${number}`)
    assert.equal(schedule.blockRules(25000000, 1900000000).blobParameters?.name, 'bpo2')
    assert.equal(schedule.blockRules(19426587, 1710338135), schedule.blockRules(19426590, 1710338199))
  })

  it('tell a sender of transactions what L1 takes and what bytes cost at a time', () => {
    const at = (json: object, timestampSec: number) => Object.values(l1TransactionRules(loadL1ChainConfig(json), timestampSec))
    assert.deepEqual(at(MAINNET, 1710338134), [0, false, 21_000n, 4n, 16n, null])
    assert.deepEqual(at(MAINNET, 1710338135), [6, false, 21_000n, 4n, 16n, null])
    assert.deepEqual(at(MAINNET, 1746612311), [9, false, 21_000n, 10n, 40n, null])
    assert.deepEqual(at(MAINNET, 1764798551), [6, true, 21_000n, 10n, 40n, 16_777_216n])
    assert.deepEqual(at(MAINNET, 1767747671), [6, true, 21_000n, 10n, 40n, 16_777_216n])
    // EIP-2780: 12,000 + 3,000; EIP-7976: 64 gas for a byte of either kind; EIP-7825 and EIP-8037: 2^24 for both
    assert.deepEqual(at(SEPOLIA, SEPOLIA_AMSTERDAM_SEC), [6, true, 15_000n, 64n, 64n, 16_777_216n])
  })

  it('accept a high s in Frontier alone (EIP-2)', () => {
    assert.deepEqual(
      ETH_FORKS.filter((fork) => !ethParameters(fork).lowSignatures),
      ['frontier'],
    )
  })

  it('say where fees go, what miners earn and what a receipt holds', () => {
    const facts = ETH_FORKS.map((fork) => {
      const rules = l1ForkRules(fork)
      return [
        fork,
        rules.feeSink,
        Number(rules.blockRewardWei / 10n ** 18n),
        rules.receiptOutcome,
        rules.clearsEmptyAccounts,
        rules.withdrawals,
        rules.requests,
      ]
    })
    assert.deepEqual(facts, [
      ['frontier', 'miner', 5, 'root', false, 'absent', 'absent'],
      ['homestead', 'miner', 5, 'root', false, 'absent', 'absent'],
      ['tangerine', 'miner', 5, 'root', false, 'absent', 'absent'],
      ['spurious', 'miner', 5, 'root', true, 'absent', 'absent'],
      ['byzantium', 'miner', 3, 'status', true, 'absent', 'absent'],
      ['constantinople', 'miner', 2, 'status', true, 'absent', 'absent'],
      ['petersburg', 'miner', 2, 'status', true, 'absent', 'absent'],
      ['istanbul', 'miner', 2, 'status', true, 'absent', 'absent'],
      ['berlin', 'miner', 2, 'status', true, 'absent', 'absent'],
      ['london', 'burn', 2, 'status', true, 'absent', 'absent'],
      ['paris', 'burn', 0, 'status', true, 'absent', 'absent'],
      ['shanghai', 'burn', 0, 'status', true, 'list', 'absent'],
      ['cancun', 'burn', 0, 'status', true, 'list', 'absent'],
      ['prague', 'burn', 0, 'status', true, 'list', 'list'],
      ['osaka', 'burn', 0, 'status', true, 'list', 'list'],
      ['amsterdam', 'burn', 0, 'status', true, 'list', 'list'],
    ])
    assert.equal(l1ForkRules('cancun').blobParameters?.max, 6)
    assert.equal(l1ForkRules('prague').blobParameters?.max, 9)
    assert.equal(l1ForkRules('shanghai').blobParameters, null)
  })
})
