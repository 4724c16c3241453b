import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type BlobParameters,
  blobBaseFeeWei,
  type L1ChainConfig,
  l1ConfigAtGenesis,
  loadL1ChainConfig,
  originBlobParameters,
} from '@keelson/chainspec'
import { type DepositTransaction, decodeTransaction, originTime, ZERO_HASH } from '@keelson/primitives'
import { createDerivationWorld, type DerivationWorldOptions, forksUpTo, GENESIS_TIME_SEC } from '../../../test/support/derivation-world.ts'
import { createAttributesBuilder } from './attributes-builder.ts'
import { decodeL1Info, type L1Info } from './codec/l1/l1-info.ts'

const T = GENESIS_TIME_SEC + 2
/** e^(10485760 / fraction) is 23.1 for Cancun, 8.1 for Prague, 3.5 for BPO1 and 2.45 for BPO2. */
const EXCESS_BLOB_GAS = 10n * 1024n * 1024n

const PARAMETERS = {
  cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477n },
  prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n },
  bpo1: { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193n },
  bpo2: { target: 14, max: 21, baseFeeUpdateFraction: 11_684_671n },
  /** Twice Prague's fraction: e^(10485760 / 10015432) is 2.8. */
  amsterdam: { target: 12, max: 18, baseFeeUpdateFraction: 10_015_432n },
} as const

interface Origin {
  readonly schedule?: Partial<Record<keyof typeof PARAMETERS, number>>
  readonly pectraTimeSec?: number
  readonly excessBlobGas?: bigint | null
  readonly scalar?: string
  readonly forks?: DerivationWorldOptions['forks']
}

async function l1InfoAt(origin: Origin): Promise<L1Info> {
  const world = createDerivationWorld(origin.forks === undefined ? {} : { forks: origin.forks })
  world.l1.mine(1)
  const block = world.l1.block(1)
  assert.ok(block !== null)
  const { excessBlobGas = EXCESS_BLOB_GAS } = origin
  const header = { ...block.header, timestampSec: T, excessBlobGas }
  const blobSchedule = Object.entries(origin.schedule ?? { cancun: 0 }).map(
    ([name, fromTimeSec]): BlobParameters => ({ name, fromTimeSec, ...PARAMETERS[name as keyof typeof PARAMETERS] }),
  )
  const l1Chain: L1ChainConfig = { ...l1ConfigAtGenesis(900n, 'cancun'), blobSchedule }
  const { genesis } = world.config
  const scalar = origin.scalar === undefined ? genesis.systemConfig.scalar : Uint8Array.from(Buffer.from(origin.scalar, 'hex'))
  const config = {
    ...world.config,
    genesis: { ...genesis, systemConfig: { ...genesis.systemConfig, scalar } },
    pectraBlobScheduleTimeSec: origin.pectraTimeSec ?? null,
  }
  const l1 = { ...world.l1.reader, header: async () => header, receipts: async () => [] }
  const builder = createAttributesBuilder(config, l1Chain, { l1, l2: world.sequenced })
  const { transactions } = await builder.build(world.unsafe(), { number: 1, hash: block.ref.hash })
  return decodeL1Info((decodeTransaction(transactions[0] as Uint8Array) as DepositTransaction).data)
}

describe('blob base fee in L1 info, by the time of the L1 origin', () => {
  const all = { cancun: 0, prague: T - 300, bpo1: T - 200, bpo2: T - 100 }
  const cases: readonly (readonly [title: string, origin: Origin, wei: bigint])[] = [
    ['Cancun', { schedule: { cancun: 0 } }, 23n],
    ['one second before Prague', { schedule: { cancun: 0, prague: T + 1 } }, 23n],
    ['at Prague', { schedule: { cancun: 0, prague: T } }, 8n],
    ['one second after it', { schedule: { cancun: 0, prague: T - 1 } }, 8n],
    ['one second before the first blob-only fork', { schedule: { ...all, bpo1: T + 1, bpo2: T + 100 } }, 8n],
    ['at the first blob-only fork', { schedule: { ...all, bpo1: T, bpo2: T + 100 } }, 3n],
    ['one second before the second', { schedule: { ...all, bpo2: T + 1 } }, 3n],
    ['at the second', { schedule: { ...all, bpo2: T } }, 2n],
    ['one second before Amsterdam', { schedule: { ...all, amsterdam: T + 1 }, excessBlobGas: 2n * EXCESS_BLOB_GAS }, 6n],
    ['at an Amsterdam that brings its own parameters', { schedule: { ...all, amsterdam: T }, excessBlobGas: 2n * EXCESS_BLOB_GAS }, 8n],
    ['an L1 block without blob fields', { excessBlobGas: null }, 1n],
    ['no excess', { excessBlobGas: 0n }, 1n],
    // EIP-4844: the largest excess at which the fee is 1, and the next
    ['the last excess that costs 1', { excessBlobGas: 2_314_057n }, 1n],
    ['the first that costs 2', { excessBlobGas: 2_314_058n }, 2n],
    // pectra-blob-schedule/derivation.md
    ['Prague, exception ends one second later', { schedule: { cancun: 0, prague: T - 300 }, pectraTimeSec: T + 1 }, 23n],
    ['Prague, exception ends at the origin', { schedule: { cancun: 0, prague: T - 300 }, pectraTimeSec: T }, 8n],
    ['Prague, exception ended one second before', { schedule: { cancun: 0, prague: T - 300 }, pectraTimeSec: T - 1 }, 8n],
    ['before Prague the exception changes nothing', { schedule: { cancun: 0, prague: T + 300 }, pectraTimeSec: T + 600 }, 23n],
  ]
  for (const [title, origin, wei] of cases) {
    it(`${title}: ${wei} wei`, async () => assert.equal((await l1InfoAt(origin)).blobBaseFeeWei, wei))
  }
})

describe('blob base fee in L1 info above Sepolia, by config/l1-chains/sepolia.json', () => {
  const sepolia = loadL1ChainConfig(JSON.parse(readFileSync(join(import.meta.dirname, '../../../config/l1-chains/sepolia.json'), 'utf8')))
  const rollup = createDerivationWorld().config
  // go-ethereum params/chainspecs/sepolia.json, EIP-7892
  const cases: readonly (readonly [when: string, time: number, exponent: number])[] = [
    ['just before Osaka', 1_760_427_359, 104_857_600 / 5_007_716],
    ['at Osaka, which changes nothing', 1_760_427_360, 104_857_600 / 5_007_716],
    ['just before its first blob-only fork', 1_761_017_183, 104_857_600 / 5_007_716],
    ['at its first blob-only fork', 1_761_017_184, 104_857_600 / 8_346_193],
    ['just before its second', 1_761_607_007, 104_857_600 / 8_346_193],
    ['at its second', 1_761_607_008, 104_857_600 / 11_684_671],
    ['just before Amsterdam', 1_791_294_815, 104_857_600 / 11_684_671],
    ['at Amsterdam, which changes nothing', 1_791_294_816, 104_857_600 / 11_684_671],
  ]
  for (const [when, timestampSec, exponent] of cases) {
    it(when, () => {
      const origin = originTime({ hash: ZERO_HASH, number: 1, parentHash: ZERO_HASH, timestampSec })
      const fee = Number(blobBaseFeeWei(104_857_600n, originBlobParameters(sepolia, rollup, origin)))
      assert.ok(Math.abs(fee - Math.exp(exponent)) <= 1 + Math.exp(exponent) / 1e6, `${fee}, expected about ${Math.exp(exponent)}`)
    })
  }
})

describe('fee scalars in L1 info. system-config.md#post-ecotone-scalar-encoding', () => {
  const zeros = (bytes: number) => '00'.repeat(bytes)
  const cases: readonly (readonly [title: string, scalar: string, baseFeeScalar: number, blobBaseFeeScalar: number])[] = [
    ['version 1', `01${zeros(23)}0000000200000001`, 1, 2],
    ['version 1, the largest', `01${zeros(23)}ffffffffffffffff`, 4_294_967_295, 4_294_967_295],
    ['version 0 has no blob scalar', `00${zeros(27)}00000005`, 5, 0],
    ['version 0, the largest that fits', `00${zeros(27)}ffffffff`, 4_294_967_295, 0],
    ['version 0 with bytes in its padding counts as the largest', `00${zeros(26)}0100000005`, 4_294_967_295, 0],
  ]
  for (const [title, scalar, base, blob] of cases) {
    it(title, async () => {
      const info = await l1InfoAt({ scalar })
      assert.deepEqual([info.baseFeeScalar, info.blobBaseFeeScalar], [base, blob])
    })
  }

  it('stops at a version that is not known', async () => {
    await assert.rejects(l1InfoAt({ scalar: `02${zeros(31)}` }), { code: 'derivation/config', severity: 'critical' })
  })
})

describe('format of L1 info by block', () => {
  const cases = [
    ['ecotone', 'delta', 'bedrock'],
    ['isthmus', 'holocene', 'ecotone'],
    ['jovian', 'isthmus', 'isthmus'],
  ] as const
  for (const [fork, before, old] of cases) {
    for (const [when, time, expected] of [
      ['the block before the activation', T + 2, old],
      ['the activation block', T, old],
      ['the activation block, between two block times', T - 1, old],
      ['the block after it', T - 2, fork],
    ] as const) {
      it(`${fork}: ${when} has ${expected}`, async () => {
        const info = await l1InfoAt({ forks: { ...forksUpTo(before), [fork]: time } })
        assert.equal(info.format, expected)
      })
    }
  }

  it('jovian/l1-attributes.md: a DA footprint scalar that was never set is 400', async () => {
    assert.equal((await l1InfoAt({})).daFootprintGasScalar, 400)
  })

  it('states the origin and the first sequence number', async () => {
    const info = await l1InfoAt({})
    assert.deepEqual([info.number, info.timestampSec, info.sequenceNumber], [1, T, 0])
  })
})
