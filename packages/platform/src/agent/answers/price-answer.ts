/** What a token costs, by feeds. */
import { Decimal } from '../../market/decimal.ts'
import type { OraclePriceResult } from '../../tools/oracle-tools.ts'
import { type Answer, type Asking, failureLine, shortName, sourceLine } from './asking.ts'

const DOLLAR = 'USD'
const SHOWN_DIGITS = 12

export async function* answerPrice({ question, call }: Asking): Answer {
  const { tokenIn, tokenOut, amount, amountOf, amountCurrency, chain } = question.entities
  const base = tokenIn ?? tokenOut
  if (base === null) {
    yield 'Of which token do you want the price? Name one, such as ETH, or a pair such as ETH/USD.'
    return
  }
  const quote = tokenIn === null ? DOLLAR : (tokenOut ?? DOLLAR)
  const units = amount !== null && amountOf !== 'out' && amountCurrency === 'token_units' ? new Decimal(amount) : null
  if (base.startsWith('0x')) {
    const found = await call('token_price', { symbol: base, chain: chain ?? undefined })
    if (!found.ok) return yield failureLine(found)
    yield `1 ${base} = ${found.value.price_usd} ${DOLLAR} on ${found.value.chain}${found.value.as_of === null ? '' : `, as of ${found.value.as_of}`}.`
    if (units !== null) yield totalLine(units, base, found.value.price_usd, DOLLAR)
    yield sourceLine(found.value)
    return
  }
  const found = await call('oracle_price', { pair: `${base}/${quote}`, chain: chain ?? undefined })
  if (!found.ok) {
    yield `I have no price of ${shortName(base)} in ${shortName(quote)}. ${failureLine(found)}`
    return
  }
  yield priceLine(found.value)
  if (units !== null) yield totalLine(units, base, found.value.price, quote)
  yield sourceLine(found.value)
}

export function priceLine({ base, quote, price, method, updated_at, age_seconds }: OraclePriceResult): string {
  const across = method === 'cross' ? ', reckoned across the dollar' : ''
  return `1 ${base} = ${shown(new Decimal(price))} ${quote}${across}, updated ${age_seconds} s ago (${updated_at}).`
}

function totalLine(units: Decimal, base: string, price: string, quote: string): string {
  return `${units.toFixed()} ${base} = ${shown(units.mul(price))} ${quote}.`
}

function shown(value: Decimal): string {
  return value.toSignificantDigits(SHOWN_DIGITS).toFixed()
}
