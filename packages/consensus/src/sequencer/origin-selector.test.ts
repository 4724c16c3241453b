import assert from 'node:assert/strict'
import { type L1BlockRef, type L2BlockRef, l2Time, toHash, type ZERO_ADDRESS, ZERO_HASH } from '@keelson/primitives'
import { createManualClock } from '@keelson/runtime'
import { createFakeL1 } from '../../../../test/support/fake-l1.ts'
import { JOVIAN_FROM_GENESIS, makeRollupConfig } from '../../../../test/support/rollup-config.ts'
import { withConfirmationDepth } from '../l1/l1-view.ts'
import { createOriginSelector } from './origin-selector.ts'

const GENESIS_SEC = 1_800_000_000
/** Drift from Fjord on. */
const DRIFT_SEC = 1_800

function setup(confirmations: number) {
  const clock = createManualClock()
  const l1 = createFakeL1({ genesisTimestampSec: GENESIS_SEC })
  const config = makeRollupConfig({
    l1ChainId: 900n,
    l2ChainId: 84532n,
    l1Genesis: l1.genesis,
    l2Genesis: { hash: toHash(`0x${'01'.repeat(32)}`), number: 0, timestampSec: GENESIS_SEC },
    batcher: '0x00000000000000000000000000000000000000b1' as typeof ZERO_ADDRESS,
    forks: JOVIAN_FROM_GENESIS,
  })
  const confirmed = withConfirmationDepth(l1.reader, confirmations, () => l1.head)
  return { l1, config, clock, selector: createOriginSelector({ config, l1: l1.reader, confirmed, clock }) }
}

function head(origin: L1BlockRef, timestampSec: number): L2BlockRef {
  return { hash: ZERO_HASH, parentHash: ZERO_HASH, number: 1, timestampSec: l2Time(timestampSec), l1Origin: origin, sequenceNumber: 0 }
}

describe('choosing the L1 origin', () => {
  it("keeps the origin until the next L1 block is not in the L2 block's future", async () => {
    const { l1, selector } = setup(0)
    l1.mine(1)
    assert.equal((await selector.select(head(l1.genesis, GENESIS_SEC))).number, 0)
    assert.equal((await selector.select(head(l1.genesis, GENESIS_SEC + 2))).number, 1)
  })

  it('waits for the confirmations', async () => {
    const { l1, selector } = setup(4)
    l1.mine(4)
    const late = head(l1.genesis, GENESIS_SEC + 100)
    assert.equal((await selector.select(late)).number, 0)
    l1.mine(1)
    assert.equal((await selector.select(late)).number, 1)
  })

  it('ignores confirmations when the drift requires the next origin', async () => {
    const { l1, selector } = setup(4)
    l1.mine(1)
    assert.equal((await selector.select(head(l1.genesis, GENESIS_SEC + DRIFT_SEC))).number, 1)
  })

  it('rejects a block beyond the drift while L1 has no next block', async () => {
    const { l1, selector } = setup(0)
    await assert.rejects(selector.select(head(l1.genesis, GENESIS_SEC + DRIFT_SEC)), {
      code: 'consensus/l1-unavailable',
      severity: 'temporary',
    })
    assert.equal((await selector.select(head(l1.genesis, GENESIS_SEC + DRIFT_SEC - 2))).number, 0)
  })

  it('keeps the current origin while L1 fails', async () => {
    const { l1, selector } = setup(0)
    assert.equal((await selector.select(head(l1.genesis, GENESIS_SEC))).number, 0)
    l1.unreachable = true
    assert.equal((await selector.select(head(l1.genesis, GENESIS_SEC + 20))).number, 0)
  })

  it('keeps the current origin while an L1 request is pending', async () => {
    const { l1, config, clock, selector } = setup(0)
    const silent = { ...l1.reader, blockRef: () => new Promise<never>(() => undefined) }
    assert.equal((await selector.select(head(l1.genesis, GENESIS_SEC))).number, 0)
    const waiting = createOriginSelector({ config, l1: l1.reader, confirmed: silent, clock })
    const selecting = waiting.select(head(l1.genesis, GENESIS_SEC + 20))
    for (let i = 0; i < 5; i++) await clock.advance(100)
    assert.equal((await selecting).number, 0)
  })

  it('requests a reset when L1 replaced the origin, also when it was cached', async () => {
    const { l1, selector } = setup(0)
    l1.mine(3)
    const on2 = head(l1.block(2)?.ref as L1BlockRef, GENESIS_SEC + 8)
    assert.equal((await selector.select(on2)).number, 2)
    l1.reorg(2, { newBlocks: 3 })
    const expected = { code: 'consensus/l1-reorg', severity: 'reset' }
    await assert.rejects(selector.select({ ...on2, timestampSec: l2Time(GENESIS_SEC + 12) }), expected)
    selector.revalidate()
    await assert.rejects(selector.select(on2), expected)
  })

  it('does not use a cached next block that L1 replaced', async () => {
    const { l1, selector } = setup(0)
    l1.mine(1)
    const early = head(l1.genesis, GENESIS_SEC)
    await selector.select(early)
    l1.reorg(1)
    selector.revalidate()
    const selected = await selector.select(head(l1.genesis, GENESIS_SEC + 2))
    assert.equal(selected.hash, l1.head.hash)
  })
})
