import { Decimal } from '../market/decimal.ts'
import type { OraclePriceResult } from '../tools/market-tools.ts'
import type { Toolbox, ToolCallResult } from '../tools/toolbox.ts'
import type { ReadIntent } from './intent.ts'

/** `chain` defaults to the first configured chain. */
export type PairPrices = (pair: string, chain: string | null, signal: AbortSignal) => Promise<PairPriceResult>
type PairPriceResult = { readonly ok: true; readonly value: OraclePriceResult } | Extract<ToolCallResult, { readonly ok: false }>

export function pairPricesOf(toolbox: Toolbox): PairPrices {
  return async (pair, chain, signal) => {
    const args = chain === null ? { pair } : { pair, chain }
    return (await toolbox.call('oracle_price', args, { caller: null, signal }, ['reads'])) as PairPriceResult
  }
}

export interface PreviewAmount {
  /** Units of the sold token. */
  readonly amount: string | null
  readonly conversion: string | null
  readonly question: string | null
}

const DOLLAR = 'USD'
const COMPUTED_DECIMALS = 6
const NOTHING: PreviewAmount = { amount: null, conversion: null, question: null }

export async function previewAmount(read: ReadIntent, prices: PairPrices, signal: AbortSignal): Promise<PreviewAmount> {
  const { tokenIn, parts } = read
  const { amount, unread } = read
  if (parts.length > 0) return { ...NOTHING, question: 'The text asks several things. Which one?' }
  if (amount === null) return unread === null ? NOTHING : { ...NOTHING, question: `${unread} ${howMuch(tokenIn)}` }
  const unit = amount.isUsd ? DOLLAR : amount.of === 'out' ? read.tokenOut : null
  if (unit === null) return { ...NOTHING, amount: amount.value }
  return converted(read, amount.value, unit, (pair) => prices(pair, read.chain, signal))
}

async function converted(
  { tokenIn }: ReadIntent,
  amount: string,
  unit: string,
  priceOf: (pair: string) => Promise<PairPriceResult>,
): Promise<PreviewAmount> {
  const said = `${amount} ${unit}`
  if (tokenIn === null) return { ...NOTHING, question: `The amount is ${said}. Which token do you want to sell for it?` }
  const isDollars = unit === DOLLAR
  const pair = isDollars ? `${tokenIn}/${DOLLAR}` : `${unit}/${tokenIn}`
  const isPriced = [tokenIn, unit].every((token) => !token.startsWith('0x'))
  const price = isPriced ? await priceOf(pair) : null
  const rate = price?.ok === true ? price.value.price : null
  const sold = rate === null ? null : isDollars ? soldForDollars(amount, rate) : soldFor(amount, rate)
  if (sold === null) return { ...NOTHING, question: `The amount is ${said}, and there is no price to convert it. ${howMuch(tokenIn)}` }
  return { ...NOTHING, amount: sold, conversion: `${said} at ${pair} ${rate}` }
}

function howMuch(token: string | null): string {
  return `How much ${token ?? 'of which token'} do you want to sell, in digits?`
}

/** Rounds up, so that the sale buys at least `amount`. */
function soldFor(amount: string, price: string): string | null {
  const sold = new Decimal(amount).mul(price).toDecimalPlaces(COMPUTED_DECIMALS, Decimal.ROUND_UP)
  return sold.gt(0) ? sold.toFixed() : null
}

/** Rounds down. */
function soldForDollars(dollars: string, price: string): string | null {
  if (!new Decimal(price).gt(0)) return null
  const sold = new Decimal(dollars).div(price).toDecimalPlaces(COMPUTED_DECIMALS, Decimal.ROUND_DOWN)
  return sold.gt(0) ? sold.toFixed() : null
}
