import assert from 'node:assert/strict'
import fc from 'fast-check'
import { amountOut, amountOutThrough, BPS, type HopReserves, minimumOut, poolFeesBps, priceImpactBps } from './amm.ts'

const ETHER = 10n ** 18n
const pool = (reserveIn: bigint, reserveOut: bigint, feeBps = 30): HopReserves => ({ reserveIn, reserveOut, feeBps })
const reserve = fc.bigInt({ min: 1_000n, max: (1n << 112n) - 1n })
const amount = fc.bigInt({ min: 1n, max: (1n << 112n) - 1n })
const hop = fc.record({ reserveIn: reserve, reserveOut: reserve, feeBps: fc.constantFrom(0, 5, 30, 100) })

describe('constant-product pools', () => {
  // UniswapV2Pair.spec.ts, swapTestCases
  for (const [paid, reserveIn, reserveOut, expected] of [
    [1n, 5n, 10n, 1662497915624478906n],
    [1n, 10n, 5n, 453305446940074565n],
    [2n, 5n, 10n, 2851015155847869602n],
    [2n, 10n, 5n, 831248957812239453n],
    [1n, 10n, 10n, 906610893880149131n],
    [1n, 100n, 100n, 987158034397061298n],
    [1n, 1000n, 1000n, 996006981039903216n],
  ] as const) {
    it(`gives ${expected} for ${paid} into ${reserveIn} and ${reserveOut}`, () => {
      assert.equal(amountOut(paid * ETHER, pool(reserveIn * ETHER, reserveOut * ETHER)), expected)
    })
  }

  it('take the most that leaves the product whole, and not a unit more', () => {
    fc.assert(
      fc.property(amount, hop, (paid, reserves) => {
        const out = amountOut(paid, reserves)
        const product = (given: bigint) =>
          (reserves.reserveIn * BPS + paid * (BPS - BigInt(reserves.feeBps))) * (reserves.reserveOut - given)
        const before = reserves.reserveIn * BPS * reserves.reserveOut
        assert.ok(out < reserves.reserveOut)
        assert.ok(product(out) >= before)
        assert.ok(product(out + 1n) < before)
      }),
    )
  })

  it('give nothing for nothing, nor when a side is empty', () => {
    assert.equal(amountOut(0n, pool(1000n, 1000n)), 0n)
    assert.equal(amountOut(5n, pool(0n, 1000n)), 0n)
    assert.equal(amountOutThrough(5n, [pool(1000n, 1000n), pool(1000n, 0n)]), 0n)
  })

  it('name an impact that follows from the share paid in: x / (R + x), with the fee left out', () => {
    // 1 / 101 = 99.0099 bps, rounded up
    const reserves = pool(10_000n * ETHER, 10_000n * ETHER, 0)
    assert.equal(priceImpactBps(100n * ETHER, amountOut(100n * ETHER, reserves), [reserves]), 100)
    const whole = pool(1000n * ETHER, 1000n * ETHER, 0)
    assert.equal(priceImpactBps(1000n * ETHER, amountOut(1000n * ETHER, whole), [whole]), 5000)
    assert.equal(priceImpactBps(5n, 0n, [pool(0n, 10n)]), 10_000)
  })

  it('name an impact between 0 and 10,000 that grows with the amount', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 10n ** 9n, max: 10n ** 24n }), fc.array(hop, { minLength: 1, maxLength: 3 }), (paid, hops) => {
        const impact = (x: bigint) => priceImpactBps(x, amountOutThrough(x, hops), hops)
        assert.ok(impact(paid) >= 0 && impact(paid) <= 10_000)
        const [first] = hops as [HopReserves]
        const one = (x: bigint) => priceImpactBps(x, amountOut(x, first), [first])
        // not for small outputs, where rounding matters
        if (amountOut(paid, first) > 10n ** 9n) assert.ok(one(paid * 2n) + 1 >= one(paid))
      }),
    )
  })

  it('keep 30, 60 and 90 basis points, the second of what the first left', () => {
    const hops = [pool(1n, 1n), pool(1n, 1n), pool(1n, 1n)]
    assert.deepEqual(
      [1, 2, 3].map((n) => poolFeesBps(hops.slice(0, n))),
      [30, 60, 90],
    )
    assert.equal(minimumOut(1_000_001n, 50), 995_000n)
  })
})
