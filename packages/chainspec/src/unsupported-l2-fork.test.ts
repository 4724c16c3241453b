import assert from 'node:assert/strict'
import { earliestFork, reachesUnsupportedFork } from './unsupported-fork.ts'
import { type L2ForkLimit, lastBlockBefore, stoppedAtUnsupportedFork, warnOfUnsupportedFork } from './unsupported-l2-fork.ts'

describe('a fork this release does not implement', () => {
  // Base Sepolia: genesis and Beryl, docs.base.org/base-chain/specs/upgrades/beryl/overview
  const beryl = { name: 'beryl', timeSec: 1_781_805_600 }
  const limit: L2ForkLimit = {
    firstUnsupportedFork: beryl,
    blockTimeSec: 2,
    genesis: { l2: { number: 0 }, l2TimestampSec: 1_695_768_288 },
  }

  it('is in force from the first block whose time has reached it', () => {
    assert.deepEqual(
      [beryl.timeSec - 1, beryl.timeSec].map((time) => reachesUnsupportedFork(beryl, time)),
      [false, true],
    )
    assert.equal(reachesUnsupportedFork(null, Number.MAX_SAFE_INTEGER), false)
  })

  it('has a last block before it, also where no block has its very time', () => {
    const last = lastBlockBefore(beryl, limit)
    const timeOf = (number: number) => limit.genesis.l2TimestampSec + 2 * number
    assert.ok(timeOf(last) < beryl.timeSec && timeOf(last + 1) >= beryl.timeSec)
    assert.equal(lastBlockBefore({ ...beryl, timeSec: beryl.timeSec - 1 }, limit), last)
    assert.equal(lastBlockBefore({ ...beryl, timeSec: beryl.timeSec + 1 }, limit), last + 1)
  })

  it('is announced with name, time, delay and last block, also after it has activated', () => {
    const before = warnOfUnsupportedFork(limit, beryl.timeSec - 12 * 86_400) ?? ''
    assert.match(before, /^fork beryl activates at 1781805600 \(2026-06-18 18:00:00 UTC\), in 12 days, .* block 43018655 is the last/)
    assert.match(before, /install a release that implements beryl before then$/)
    assert.match(
      warnOfUnsupportedFork(limit, beryl.timeSec) ?? '',
      /^fork beryl activated at .* block 43018655 is the last one it can follow/,
    )
    assert.equal(warnOfUnsupportedFork({ ...limit, firstUnsupportedFork: null }, 0), null)
    const { what, why, remedy } = stoppedAtUnsupportedFork(beryl, limit)
    assert.match(`${what}: ${why}; ${remedy}`, /^stopped before fork beryl: it activates at .* block 43018655 .*; install a release/)
  })

  it('is the earliest of several', () => {
    const cobalt = { name: 'cobalt', timeSec: beryl.timeSec + 1 }
    assert.equal(earliestFork([cobalt, beryl])?.name, 'beryl')
    assert.equal(earliestFork([]), null)
  })
})
