import assert from 'node:assert/strict'
import type { ForkTimes, InclusionRules } from '@keelson/chainspec'
import { inclusionTime } from '@keelson/primitives'
import { l1Block, testConfig } from '../../../../test/support/stage-context.ts'

// The tested fork activates at L1 block 10, earlier forks at genesis.
const NAMES = ['regolith', 'canyon', 'delta', 'ecotone', 'fjord', 'granite', 'holocene', 'isthmus', 'jovian'] as const
const ACTIVATION = l1Block(10).timestampSec

function rulesAround<K extends keyof InclusionRules>(fork: (typeof NAMES)[number], rule: K): InclusionRules[K][] {
  const earlier = NAMES.slice(0, NAMES.indexOf(fork)).map((name) => [name, 0])
  const times: ForkTimes = { ...Object.fromEntries(earlier), [fork]: ACTIVATION }
  const { forks } = testConfig(times)
  return [-1, 0, 1].map((offset) => forks.inclusionRules(inclusionTime({ ...l1Block(10), timestampSec: ACTIVATION + offset }))[rule])
}

const CASES: readonly (readonly [
  section: string,
  fork: (typeof NAMES)[number],
  rule: keyof InclusionRules,
  before: unknown,
  after: unknown,
])[] = [
  ['derivation.md#reading', 'canyon', 'readsFirstReadyChannel', false, true],
  ['ecotone/derivation.md#ecotone-blob-retrieval', 'ecotone', 'blobs', false, true],
  ['system-config.md#system-config-updates', 'ecotone', 'versionedFeeScalars', false, true],
  ['fjord/derivation.md#brotli-channel-compression', 'fjord', 'brotliChannels', false, true],
  ['fjord/derivation.md#protocol-parameter-changes', 'fjord', 'maxRlpBytesPerChannel', 10_000_000, 100_000_000],
  ['fjord/derivation.md#protocol-parameter-changes', 'fjord', 'maxChannelBankBytes', 100_000_000, 1_000_000_000],
  ['granite/derivation.md#reduce-channel-timeout', 'granite', 'channelTimeoutL1Blocks', 300, 50],
  ['holocene/derivation.md#activation', 'holocene', 'strictOrdering', false, true],
]

describe('rules that come with the L1 block that carries the data', () => {
  for (const [section, fork, rule, before, after] of CASES) {
    it(`${section}: ${rule} is ${before}, from ${fork} on ${after}`, () => {
      assert.deepEqual(rulesAround(fork, rule), [before, after, after])
    })
  }

  it('delta/span-batches.md#span-batch-size-limits: 10,000,000 elements, always', () => {
    for (const fork of ['delta', 'fjord', 'jovian'] as const) {
      assert.deepEqual(new Set(rulesAround(fork, 'maxSpanBatchElements')), new Set([10_000_000]))
    }
  })
})
