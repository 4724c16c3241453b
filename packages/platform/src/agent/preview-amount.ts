/** Computes the amount of a preview in units of the sold token, because clients copy it into a swap; null when that is impossible. */

import type { OraclePriceResult } from '../tools/oracle-tools.ts'
import type { ToolCallResult } from '../tools/toolbox.ts'
import type { ReadIntent } from './intent.ts'
import { soldFor, soldForDollars } from './sold-amount.ts'

/** Prices a pair such as `ETH/USD`. `chain` is null for the first configured one. */
export type PairPrices = (pair: string, chain: string | null, signal: AbortSignal) => Promise<PairPriceResult>
export type PairPriceResult = { readonly ok: true; readonly value: OraclePriceResult } | Extract<ToolCallResult, { readonly ok: false }>

export interface PreviewAmount {
  /** Units of the sold token as plain decimal text; null when the text names no amount, or one that cannot be converted. */
  readonly amount: string | null
  /** The conversion that made `amount`; null when the text gives it in units of the sold token. */
  readonly conversion: string | null
  /** The question that the user has to answer; null when nothing is missing, or when the text asks for no swap. */
  readonly question: string | null
}

const DOLLAR = 'USD'
const NOTHING: PreviewAmount = { amount: null, conversion: null, question: null }

export async function previewAmount(read: ReadIntent, prices: PairPrices, signal: AbortSignal): Promise<PreviewAmount> {
  const { tokenIn, parts } = read
  const { amount, amountOf, amountCurrency, share, unreadAmount } = read.amount
  if (parts.length > 0) return { ...NOTHING, question: 'The text asks several things. Which one?' }
  if (amount === null && share === null && unreadAmount === null) return NOTHING
  const ask = (why: string): PreviewAmount => ({ ...NOTHING, question: `${why} ${howMuch(tokenIn)}` })
  if (share !== null) return ask('The amount is a share of a balance.')
  if (amount === null) return ask(unreadAmount ?? '')
  const unit = amountCurrency === 'usd' ? DOLLAR : amountOf === 'out' ? read.tokenOut : null
  if (unit === null) return { ...NOTHING, amount }
  return converted(read, amount, unit, (pair) => prices(pair, read.chain, signal))
}

/** `unit`: USD or the bought token. */
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
