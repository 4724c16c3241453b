import { type Address, toAddress } from '@keelson/primitives'
import { NATIVE_ADDRESS } from '../market/chain/native-address.ts'
import { Decimal, unitsToDecimal } from '../market/decimal.ts'
import { amountOut, priceImpactBps } from '../market/pools/amm.ts'
import type { EvmInput } from '../schemas/evm-input.ts'
import type { LargestFlow, TokenFacts, TokenInfo, TradingMarket } from './ports.ts'

export const CHAIN = 84_532
export const DOLLAR = toAddress(`0x${'d0'.repeat(20)}`)
export const BITCOIN = toAddress(`0x${'b0'.repeat(20)}`)
export const WRAPPED = toAddress('0x4200000000000000000000000000000000000006')
export const ROUTER = toAddress(`0x${'70'.repeat(20)}`)
export const STRANGE = toAddress(`0x${'66'.repeat(20)}`)

const TOKENS: readonly TokenInfo[] = [
  { address: DOLLAR, symbol: 'testUSD', decimals: 6 },
  { address: BITCOIN, symbol: 'testBTC', decimals: 8 },
  { address: NATIVE_ADDRESS, symbol: 'NTV', decimals: 18 },
  { address: STRANGE, symbol: 'ODD', decimals: 0 },
]

export interface FakeMarket extends TradingMarket {
  readonly usd: Map<Address, string>
  readonly factsOf: Map<Address, TokenFacts>
  flow: LargestFlow | null
  gasPercent: number | null
  poolFactor: Decimal
  depthUsd: number
  hasPools: boolean
  offer(tokenIn: Address, tokenOut: Address, amountIn: bigint): bigint
}

export function createFakeMarket(): FakeMarket {
  const find = (address: Address) => TOKENS.find((token) => token.address === address) ?? null
  const usdOf = (address: Address) => new Decimal(market.usd.get(address) ?? '1')
  const units = (usd: Decimal, token: TokenInfo) =>
    BigInt(usd.div(usdOf(token.address)).mul(new Decimal(10).pow(token.decimals)).toFixed(0, Decimal.ROUND_DOWN))
  const reserves = (tokenIn: TokenInfo, tokenOut: TokenInfo) => ({
    reserveIn: units(new Decimal(market.depthUsd), tokenIn),
    reserveOut: units(new Decimal(market.depthUsd).mul(market.poolFactor), tokenOut),
    feeBps: 30,
  })
  const wrapped = (token: Address) => (token === NATIVE_ADDRESS ? WRAPPED : token)
  const market: FakeMarket = {
    usd: new Map([
      [DOLLAR, '1'],
      [BITCOIN, '100000'],
      [NATIVE_ADDRESS, '2500'],
    ]),
    factsOf: new Map(),
    flow: { shareBps: 50, windowSec: 600 },
    gasPercent: 100,
    poolFactor: new Decimal(1),
    depthUsd: 10_000_000,
    hasPools: true,
    offer(tokenIn, tokenOut, amountIn) {
      const [from, to] = [tokenIn, tokenOut].map((token) => find(token === WRAPPED ? NATIVE_ADDRESS : token))
      return from === null || from === undefined || to === null || to === undefined ? 0n : amountOut(amountIn, reserves(from, to))
    },
    chainIds: [CHAIN],
    token: async (chainId, address) => (chainId === CHAIN ? find(address) : null),
    async price(_, token) {
      const usd = market.usd.get(token)
      return usd === undefined ? null : { usd: new Decimal(usd), source: 'feed' }
    },
    async bestRoute(_, tokenIn, tokenOut, amountIn) {
      const [from, to] = [find(tokenIn), find(tokenOut)]
      if (!market.hasPools || from === null || to === null) return null
      const hop = reserves(from, to)
      const out = amountOut(amountIn, hop)
      return {
        venue: 'uniswap_v2',
        router: ROUTER,
        path: [wrapped(tokenIn), wrapped(tokenOut)],
        amountOut: out,
        priceImpactBps: priceImpactBps(amountIn, out, [hop]),
        swapFeeBps: 30,
      }
    },
    async spotPrice(_, tokenIn, tokenOut) {
      const [from, to] = [find(tokenIn), find(tokenOut)]
      if (!market.hasPools || from === null || to === null) return null
      const hop = reserves(from, to)
      return unitsToDecimal(hop.reserveOut, to.decimals).div(unitsToDecimal(hop.reserveIn, from.decimals))
    },
    facts: async (_, token) => market.factsOf.get(token) ?? { hasCode: true, listed: true, liquidityUsd: new Decimal(1_000_000) },
    largestFlow: async () => market.flow,
    gas: async () =>
      market.gasPercent === null ? null : { baseFeeWei: BigInt(Math.round(market.gasPercent * 1_000)), medianBaseFeeWei: 100_000n },
  }
  return market
}

export function swapInput(changes: Partial<EvmInput> = {}): EvmInput {
  return {
    chain_id: CHAIN,
    token_in_address: DOLLAR,
    token_out_address: NATIVE_ADDRESS,
    amount_in: '100',
    amount_in_currency: 'token_units',
    slippage_bps: 50,
    ...changes,
  }
}
