import assert from 'node:assert/strict'
import { earliestFork, reachesUnsupportedFork } from './unsupported-fork.ts'
import { type ForkLimitConfig, forkLimitOf, warnOfUnsupportedFork } from './unsupported-l2-fork.ts'

describe('a fork this release does not implement', () => {
  // Base Sepolia: genesis and Beryl, docs.base.org/base-chain/specs/upgrades/beryl/overview
  const beryl = { name: 'beryl', timeSec: 1_781_805_600 }
  const config: ForkLimitConfig = {
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
    const limitAt = (timeSec: number) => forkLimitOf({ ...config, firstUnsupportedFork: { ...beryl, timeSec } })
    const last = limitAt(beryl.timeSec)?.lastBlock ?? 0
    const timeOf = (number: number) => config.genesis.l2TimestampSec + 2 * number
    assert.ok(timeOf(last) < beryl.timeSec && timeOf(last + 1) >= beryl.timeSec)
    assert.deepEqual(
      [-1, 1].map((by) => limitAt(beryl.timeSec + by)?.lastBlock),
      [last, last + 1],
    )
    const judged = [last - 1, last, last + 1].map((number) => {
      const limit = limitAt(beryl.timeSec)
      return [limit?.refuses(timeOf(number)), limit?.isLast(timeOf(number))]
    })
    assert.deepEqual(judged, [
      [false, false],
      [false, true],
      [true, true],
    ])
  })

  it('is announced with name, time, delay and last block, also after it has activated', () => {
    const before = warnOfUnsupportedFork(config, beryl.timeSec - 12 * 86_400) ?? ''
    assert.match(before, /^fork beryl activates at 1781805600 \(2026-06-18 18:00:00 UTC\), in 12 days, .* block 43018655 is the last/)
    assert.match(before, /install a release that implements beryl before then$/)
    assert.match(
      warnOfUnsupportedFork(config, beryl.timeSec) ?? '',
      /^fork beryl activated at .* block 43018655 is the last one it can follow/,
    )
    assert.equal(warnOfUnsupportedFork({ ...config, firstUnsupportedFork: null }, 0), null)
    assert.match(forkLimitOf(config)?.sentence ?? '', /^stopped before fork beryl: it activates at .* block 43018655 .*; install a release/)
  })

  it('is announced for a time with more than four digits of the year, and for one that no date can hold', () => {
    const warningAt = (timeSec: number) => warnOfUnsupportedFork({ ...config, firstUnsupportedFork: { ...beryl, timeSec } }, 0) ?? ''
    assert.match(warningAt(253_402_300_800), /^fork beryl activates at 253402300800 \(\+010000-01-01 00:00:00 UTC\), /)
    assert.match(warningAt(Number.MAX_SAFE_INTEGER), /^fork beryl activates at 9007199254740991 \(later than any date\), /)
  })

  it('is the earliest of several', () => {
    const cobalt = { name: 'cobalt', timeSec: beryl.timeSec + 1 }
    assert.equal(earliestFork([cobalt, beryl])?.name, 'beryl')
    assert.equal(earliestFork([]), null)
  })
})
