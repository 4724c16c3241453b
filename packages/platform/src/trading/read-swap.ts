import { unknownChain } from '../market/chain/chains.ts'
import type { Decimal } from '../market/decimal.ts'
import type { EvmInput } from '../schemas/evm-input.ts'
import { type AmountRefusal, isUsable, soldAmount } from './amounts.ts'
import { normalizeToken } from './evm-address.ts'
import type { TokenInfo, TokenPrice, TradingMarket } from './ports.ts'

export const DEFAULT_SLIPPAGE_BPS = 50

export interface Swap {
  readonly chainId: number
  readonly tokenIn: TokenInfo
  readonly tokenOut: TokenInfo
  readonly amountIn: bigint
  readonly slippageBps: number
  readonly priceIn: TokenPrice | null
  readonly priceOut: TokenPrice | null
}

export interface InputProblem {
  readonly ok: false
  readonly field: 'chain_id' | 'token_in_address' | 'token_out_address' | 'amount_in'
  readonly reason: 'unknown-chain' | 'unknown-token' | 'same-token' | AmountRefusal
  readonly detail: string
}

type SwapOutcome = { readonly ok: true; readonly swap: Swap } | InputProblem

const AMOUNT_TEXTS: Readonly<Record<AmountRefusal, (token: TokenInfo) => string>> = {
  'too-precise': ({ symbol, decimals }) => `${symbol} has ${decimals} decimals, the amount has more or is beyond 256 bits`,
  'too-small': ({ symbol, decimals }) => `the amount is less than the smallest unit of ${symbol}, which has ${decimals} decimals`,
  'price-unknown': ({ symbol }) => `there is no price of ${symbol} to turn dollars into it`,
}

export async function readSwap(input: EvmInput, market: Pick<TradingMarket, 'chainIds' | 'token' | 'price'>): Promise<SwapOutcome> {
  const { chainIds } = market
  const chainId = input.chain_id
  if (!chainIds.includes(chainId)) {
    return problem('chain_id', 'unknown-chain', unknownChain(chainId, chainIds))
  }
  const addressIn = normalizeToken(input.token_in_address)
  const addressOut = normalizeToken(input.token_out_address)
  if (addressIn === addressOut) return problem('token_out_address', 'same-token', 'the token to buy is the one to sell')
  const [tokenIn, tokenOut] = await Promise.all([market.token(chainId, addressIn), market.token(chainId, addressOut)])
  if (tokenIn === null) return problem('token_in_address', 'unknown-token', `there is no token ${addressIn} on chain ${chainId}`)
  if (tokenOut === null) return problem('token_out_address', 'unknown-token', `there is no token ${addressOut} on chain ${chainId}`)
  const [priceIn, priceOut] = await Promise.all([market.price(chainId, addressIn), market.price(chainId, addressOut)])
  const amount = soldAmount(input, tokenIn, priceIn)
  if (typeof amount === 'string') return problem('amount_in', amount, AMOUNT_TEXTS[amount](tokenIn))
  const slippageBps = input.slippage_bps ?? DEFAULT_SLIPPAGE_BPS
  return { ok: true, swap: { chainId, tokenIn, tokenOut, amountIn: amount, slippageBps, priceIn, priceOut } }
}

export function oracleRate({ priceIn, priceOut }: Pick<Swap, 'priceIn' | 'priceOut'>): Decimal | null {
  return isUsable(priceIn) && isUsable(priceOut) ? priceIn.usd.div(priceOut.usd) : null
}

export async function noRouteBecause(
  { chainId, tokenIn, tokenOut }: Pick<Swap, 'chainId' | 'tokenIn' | 'tokenOut'>,
  market: Pick<TradingMarket, 'spotPrice'>,
): Promise<{ readonly reason: 'no-route' | 'nothing-out'; readonly detail: string }> {
  const spot = await market.spotPrice(chainId, tokenIn.address, tokenOut.address)
  return spot === null
    ? { reason: 'no-route', detail: `no pools lead from ${tokenIn.symbol} to ${tokenOut.symbol}` }
    : { reason: 'nothing-out', detail: `so little ${tokenIn.symbol} is sold that the pools give no ${tokenOut.symbol} for it` }
}

function problem(field: InputProblem['field'], reason: InputProblem['reason'], detail: string): InputProblem {
  return { ok: false, field, reason, detail }
}
