/** A trade in stored form: addresses in lower case, decimals, defaults filled in. */
import { Decimal } from '../market/decimal.ts'
import type { TradeRequest } from '../schemas/portfolio.ts'
import type { trades } from '../storage/schema/portfolio.ts'
import { kept, type Leg, ZERO } from './accounting.ts'

export type TradeRow = typeof trades.$inferSelect
export type NewTrade = Omit<TradeRow, 'id' | 'userId' | 'realizedPnlUsd' | 'recordedAt'>

export function tradeOf(request: TradeRequest): NewTrade {
  const usd = (value: number | undefined) => kept(value === undefined ? ZERO : new Decimal(value))
  const [valueIn, valueOut] = [usd(request.amount_in_usd), usd(request.amount_out_usd)]
  const price = (given: number | undefined, value: Decimal, amount: string) => (given === undefined ? kept(value.div(amount)) : usd(given))
  return {
    agent: request.agent,
    walletAddress: request.wallet_address.toLowerCase(),
    chainId: request.chain_id,
    venue: request.venue,
    tokenInAddress: request.token_in_address.toLowerCase(),
    tokenOutAddress: request.token_out_address.toLowerCase(),
    tokenInSymbol: request.token_in_symbol,
    tokenOutSymbol: request.token_out_symbol,
    amountIn: new Decimal(request.amount_in).toFixed(),
    amountOut: new Decimal(request.amount_out).toFixed(),
    amountInUsd: valueIn.toFixed(),
    amountOutUsd: valueOut.toFixed(),
    priceInUsd: price(request.price_in_usd_per_unit, valueIn, request.amount_in).toFixed(),
    priceOutUsd: price(request.price_out_usd_per_unit, valueOut, request.amount_out).toFixed(),
    feesUsd: usd(request.fees_usd).toFixed(),
    status: request.status ?? 'success',
    simulated: request.simulated ?? false,
    txHash: request.tx_hash?.toLowerCase() ?? null,
  }
}

export function movesPositions({ status, simulated }: Pick<NewTrade, 'status' | 'simulated'>): boolean {
  return status === 'success' && !simulated
}

export function legsOf(trade: NewTrade): { readonly sold: Leg; readonly bought: Leg } {
  const leg = (quantity: string, valueUsd: string, priceUsd: string): Leg => ({
    quantity: new Decimal(quantity),
    valueUsd: new Decimal(valueUsd),
    priceUsd: new Decimal(priceUsd),
  })
  return {
    sold: leg(trade.amountIn, trade.amountInUsd, trade.priceInUsd),
    bought: leg(trade.amountOut, trade.amountOutUsd, trade.priceOutUsd),
  }
}

/** Whether a stored trade equals the repeated one. */
export function isSameTrade(kept: TradeRow, sent: NewTrade): boolean {
  return (Object.keys(sent) as (keyof NewTrade)[]).every((field) => kept[field] === sent[field])
}
