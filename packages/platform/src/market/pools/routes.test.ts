import assert from 'node:assert/strict'
import { type Address, toAddress } from '@keelson/primitives'
import { amountOutThrough } from './amm.ts'
import type { PoolState } from './pools.ts'
import { findBestRoute, MAX_HOPS, reservesFrom } from './routes.ts'

const token = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [A, B, C, D, E] = [1, 2, 3, 4, 5].map(token) as [Address, Address, Address, Address, Address]
const facts = (address: Address) => ({ address, symbol: `T${address.slice(-1)}`, decimals: 18, known: true })
let next = 100
const pool = (a: Address, b: Address, reserve0: bigint, reserve1: bigint): PoolState => ({
  address: token(next++),
  token0: facts(a),
  token1: facts(b),
  reserve0,
  reserve1,
  feeBps: 30,
})
const M = 10n ** 24n
const ask = (tokenIn: Address, tokenOut: Address, hubs: readonly Address[] = [B, C]) => ({ tokenIn, tokenOut, hubs, amountIn: 10n ** 18n })

describe('routes through pools', () => {
  it('go the way that gives most, also when it is the longer one', () => {
    const direct = pool(A, D, M, M / 2n)
    const [first, second] = [pool(A, B, M, M), pool(B, D, M, M)] as const
    const route = findBestRoute([direct, first, second], ask(A, D))
    assert.deepEqual(route?.path, [A, B, D])
    assert.equal(route?.amountOut, amountOutThrough(10n ** 18n, [reservesFrom(first, A), reservesFrom(second, B)]))
    assert.equal(route?.poolFeesBps, 60)
    assert.deepEqual(findBestRoute([pool(A, D, M, M), first, second], ask(A, D))?.path, [A, D])
  })

  it('read a pool from either side', () => {
    assert.deepEqual(reservesFrom(pool(A, B, 5n, 9n), B), { reserveIn: 9n, reserveOut: 5n, feeBps: 30 })
    assert.deepEqual(findBestRoute([pool(A, B, M, 2n * M)], ask(B, A))?.path, [B, A])
  })

  it(`pass hubs only, and at most ${MAX_HOPS} pools`, () => {
    const chain = [pool(A, B, M, M), pool(B, C, M, M), pool(C, D, M, M), pool(D, E, M, M)]
    assert.deepEqual(findBestRoute(chain, ask(A, D))?.path, [A, B, C, D])
    assert.equal(findBestRoute(chain, ask(A, D, [B])), null)
    assert.equal(findBestRoute(chain, ask(A, E, [B, C, D])), null)
  })

  it('are none to the token itself, nor through an empty pool', () => {
    assert.equal(findBestRoute([pool(A, B, M, M)], ask(A, A)), null)
    assert.equal(findBestRoute([pool(A, B, M, 0n)], ask(A, B)), null)
  })
})
