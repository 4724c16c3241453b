import assert from 'node:assert/strict'
import { crc32 } from 'node:zlib'
import { numberToBytes, toHash } from '@keelson/primitives'
import type { ForkPoints } from '../chain-rules.ts'
import { createForkFilter } from './fork-filter.ts'

const BY_NUMBER: ForkPoints = {
  genesis: toHash('0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3'),
  blocks: [
    1_150_000, 1_920_000, 2_463_000, 2_675_000, 4_370_000, 7_280_000, 9_069_000, 9_200_000, 12_244_000, 12_965_000, 13_773_000, 15_050_000,
  ],
  times: [],
}
const SHANGHAI = 1_681_338_455
const CANCUN = 1_710_338_135
const WITH_TIMES: ForkPoints = { ...BY_NUMBER, times: [SHANGHAI, CANCUN] }
const FAR = 2n ** 64n - 1n
const afterUnknownFork = (hash: number) => crc32(new Uint8Array(8).fill(0xff), hash)

type Case = readonly [what: string, number: number, timeSec: number, hash: number, next: bigint, verdict: string]

/** The situations that EIP-2124 lists, with fork hashes of Ethereum mainnet. */
const NUMBERS: readonly Case[] = [
  ['same forks', 15_050_000, 0, 0xf0afd0e3, 0n, 'accepted'],
  ['same forks, uncertain next', 15_050_000, 0, 0xf0afd0e3, FAR, 'accepted'],
  ['peer without the next fork', 7_279_999, 0, 0xa00bc324, 0n, 'accepted'],
  ['peer with the same next fork', 7_279_999, 0, 0xa00bc324, 7_280_000n, 'accepted'],
  ['peer with another next fork', 7_279_999, 0, 0xa00bc324, FAR, 'accepted'],
  ['peer one fork behind, at the fork', 7_280_000, 0, 0xa00bc324, 7_280_000n, 'accepted'],
  ['peer one fork behind', 7_987_396, 0, 0xa00bc324, 7_280_000n, 'accepted'],
  ['peer two forks behind', 7_987_396, 0, 0x3edd5b10, 4_370_000n, 'accepted'],
  ['peer one fork ahead', 7_279_999, 0, 0x668db0af, 0n, 'accepted'],
  ['peer ahead without our next fork', 4_369_999, 0, 0xa00bc324, 0n, 'accepted'],
  ['peer that missed a fork', 7_987_396, 0, 0xa00bc324, 0n, 'remote-stale'],
  ['peer after a fork unknown here', 7_987_396, 0, 0x5cddc0e1, 0n, 'incompatible'],
  ['peer of another chain', 7_987_396, 0, 0xafec6b27, 0n, 'incompatible'],
  ['peer with a fork that passed here unnoticed', 88_888_888, 0, 0xf0afd0e3, 88_888_888n, 'incompatible'],
  ['peer with a fork before our next', 7_279_999, 0, 0xa00bc324, 7_279_999n, 'incompatible'],
]
const TIMES: readonly Case[] = [
  ['peer that does not know the first time', 15_050_000, 0, 0xf0afd0e3, 0n, 'accepted'],
  ['peer that knows the first time', 15_050_000, 0, 0xf0afd0e3, BigInt(SHANGHAI), 'accepted'],
  ['peer with another time', 15_050_000, 0, 0xf0afd0e3, FAR, 'accepted'],
  ['peer behind, at the time', 20_000_000, SHANGHAI, 0xf0afd0e3, BigInt(SHANGHAI), 'accepted'],
  ['peer behind by a block fork', 20_000_000, SHANGHAI, 0x20c327fc, 15_050_000n, 'accepted'],
  ['peer ahead by a time', 15_050_000, 0, 0xdce96c2d, 0n, 'accepted'],
  ['peer that missed a time', 20_000_000, SHANGHAI, 0xf0afd0e3, 0n, 'remote-stale'],
  ['peer after a time unknown here', 15_050_000, 0, afterUnknownFork(0xf0afd0e3), 0n, 'incompatible'],
  ['peer with a time that passed here', 888_888_888, 1_660_000_000, 0xf0afd0e3, 1_660_000_000n, 'incompatible'],
  ['peer with a time before our next', 19_999_999, 1_667_999_999, 0xf0afd0e3, 1_667_999_999n, 'incompatible'],
  ['peer that missed Cancun', 21_000_000, CANCUN, 0xdce96c2d, 0n, 'remote-stale'],
  ['peer ahead of Cancun', 21_000_000, 1_700_000_000, 0x9f3d2254, 0n, 'accepted'],
  ['all passed, peer with a time long gone', 88_888_888, 8_888_888_888, 0x9f3d2254, 8_888_888_888n, 'incompatible'],
  ['a random hash', 20_000_000, SHANGHAI, 0x12345678, 0n, 'incompatible'],
]

function check(points: ForkPoints, cases: readonly Case[]): void {
  for (const [what, number, timestampSec, hash, next, expected] of cases) {
    const verdict = createForkFilter(points, () => ({ number, timestampSec }))({ hash, next })
    assert.equal(verdict.kind === 'accepted' ? 'accepted' : verdict.reason, expected, what)
  }
}

describe('fork id filter', () => {
  it('judges peers of a chain with forks by block number', () => check(BY_NUMBER, NUMBERS))
  it('judges peers of a chain with forks by time', () => check(WITH_TIMES, TIMES))

  it('follows the head', () => {
    const head = { number: 20_000_000, timestampSec: SHANGHAI - 1 }
    const filter = createForkFilter(WITH_TIMES, () => head)
    const stale = { hash: 0xf0afd0e3, next: 0n }
    assert.equal(filter(stale).kind, 'accepted')
    head.timestampSec = SHANGHAI
    assert.equal(filter(stale).kind, 'refused')
  })

  it('accepts a peer that is past a fork that this release does not implement', () => {
    const later = 1_900_000_000
    const filter = createForkFilter({ ...WITH_TIMES, unsupportedTimeSec: later }, () => ({ number: 40_000_000, timestampSec: CANCUN }))
    assert.equal(filter({ hash: crc32(numberToBytes(later, 8), 0x9f3d2254), next: 0n }).kind, 'accepted')
  })

  it('refuses a time that has passed on a chain without later forks', () => {
    const points = { ...BY_NUMBER, blocks: [] }
    const filter = createForkFilter(points, () => ({ number: 10, timestampSec: 1_700_000_000 }))
    assert.equal(filter({ hash: 0xfc64ec04, next: 1_690_000_000n }).kind, 'refused')
    assert.equal(filter({ hash: 0xfc64ec04, next: 1_800_000_000n }).kind, 'accepted')
  })
})
