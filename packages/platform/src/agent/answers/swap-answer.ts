/**
 * Quotes, risk and simulations of a swap. Nothing here can send one: for that it names the endpoint, and the person who
 * asks confirms there.
 */
import { Decimal } from '../../chain/decimal.ts'
import type { QuoteResult, RiskResult } from '../../toolbox/tools/quote-tools.ts'
import { type Answer, type Asking, chainNamed, failureLine, shortName, sourceLine } from './asking.ts'

interface AskedSwap {
  readonly token_in: string
  readonly token_out: string
  readonly amount: string
  readonly amount_currency: 'usd' | undefined
  readonly slippage_bps: number | undefined
  readonly chain: string | undefined
}

/** Digits of an amount that is reckoned from a price. */
const RECKONED_DECIMALS = 6
const EXECUTE = 'POST /api/v1/multi-agent/execute/evm'

export async function* answerQuote(asking: Asking): Answer {
  const swap = yield* askedSwap(asking)
  if (swap === null) return
  if ((yield* quoteLines(asking, swap)) !== null) yield 'Nothing was traded. Ask for the risk of it, or say that you want to swap.'
}

export async function* answerSwap(asking: Asking): Answer {
  const swap = yield* askedSwap(asking)
  if (swap === null) return
  const quote = yield* quoteLines(asking, swap)
  if (quote === null) return
  const risk = await asking.call('risk_assess', { ...swap, quote_id: quote.quote_id })
  yield* risk.ok ? riskLines(risk.value) : [`The risk cannot be told. ${failureLine(risk)}`]
  const wallets = await asking.call('wallets_list', {})
  if (!wallets.ok) return yield failureLine(wallets)
  const wallet = wallets.value.wallets.find(({ chain_id }) => chain_id === quote.chain_id)
  if (!quote.executable) return yield 'Nothing was traded, and there is no route to trade it through.'
  if (wallet === undefined) {
    yield `No wallet of yours is configured on ${quote.chain}, so I cannot simulate it; the operator sets wallets up. Nothing was traded.`
    return
  }
  const { wallet_ref, address, shared } = wallet
  const simulated = await asking.call('swap_simulate', { ...swap, wallet_ref, quote_id: quote.quote_id })
  if (!simulated.ok) {
    yield `A simulation with wallet ${wallet_ref} (${address}) does not pass. ${failureLine(simulated)}`
    yield 'Nothing was traded: I only read and simulate. An execution would be judged in the same way.'
    return
  }
  yield `Simulation with wallet ${wallet_ref} (${address}${shared ? ', shared by all users here' : ''}): ${simulated.value.message}.`
  const body = { input: { ...quote.input, simulate_only: false }, confirm: true, wallet_ref, quote_id: quote.quote_id }
  yield `Nothing was traded: I only read and simulate. To execute it yourself, before ${quote.expires_at}: ${EXECUTE} with an Idempotency-Key header and the body ${JSON.stringify(body)}`
  yield 'After that, leave quote_id out: it is quoted anew then.'
}

export async function* answerRisk(asking: Asking): Answer {
  const { tokenIn, tokenOut, chain } = asking.question.entities
  const sole = tokenIn === null || tokenOut === null ? (tokenIn ?? tokenOut) : null
  if (sole !== null) {
    const found = await asking.call('token_risk', { token: sole, chain: chain ?? undefined })
    if (!found.ok) return yield failureLine(found)
    yield `Risk of ${shortName(sole)} by itself:`
    yield* riskLines(found.value)
    return
  }
  const swap = yield* askedSwap(asking)
  if (swap === null) return
  const found = await asking.call('risk_assess', { ...swap })
  if (!found.ok) return yield failureLine(found)
  const { quote } = found.value
  yield `Risk of selling ${amountText(swap)} for ${shortName(swap.token_out)}${quote === null ? '' : ` (quote ${quote.quote_id}, ${quote.expected_out} out, impact ${quote.price_impact_bps} bps)`}:`
  yield* riskLines(found.value)
}

/** What is asked for, or null after a line that asks for what is missing. */
async function* askedSwap(asking: Asking): AsyncGenerator<string, AskedSwap | null, void> {
  const { tokenIn, tokenOut, amount, amountOf, amountCurrency, slippageBps, chain } = asking.question.entities
  const question = missing(asking)
  if (question !== null || tokenIn === null || tokenOut === null || amount === null) {
    yield question ?? ''
    return null
  }
  const swap = {
    ...{ token_in: tokenIn, token_out: tokenOut, amount },
    amount_currency: amountCurrency === 'usd' ? ('usd' as const) : undefined,
    slippage_bps: slippageBps ?? undefined,
    chain: chain ?? undefined,
  }
  if (amountOf !== 'out' || amountCurrency === 'usd') return swap
  if ([tokenIn, tokenOut].some((token) => token.startsWith('0x'))) {
    yield `A quote is for the amount that is sold. How much ${shortName(tokenIn)} do you want to sell?`
    return null
  }
  const price = await asking.call('oracle_price', { pair: `${tokenOut}/${tokenIn}`, chain: swap.chain })
  if (!price.ok) {
    yield `A quote is for the amount that is sold, and I cannot tell how much ${shortName(tokenIn)} buys ${amount} ${shortName(tokenOut)}. ${failureLine(price)}`
    return null
  }
  const sold = new Decimal(amount).mul(price.value.price).toDecimalPlaces(RECKONED_DECIMALS, Decimal.ROUND_UP).toFixed()
  yield `${amount} ${tokenOut} are worth ${sold} ${tokenIn} by ${price.value.source}; that is what I take as sold.`
  return { ...swap, amount: sold }
}

function missing(asking: Asking): string | null {
  const { tokenIn, tokenOut, amount, unreadAmount } = asking.question.entities
  if (tokenIn === null && tokenOut === null) {
    const chain = chainNamed(asking)
    const listed = chain === null ? '' : ` ${chain.name} has ${chain.tokens.map(({ symbol }) => symbol).join(', ')}.`
    return `Which token do you want to sell, and which to buy?${listed}`
  }
  if (tokenIn === null) return `Which token do you want to sell for ${shortName(tokenOut ?? '')}?`
  if (tokenOut === null) return `Which token do you want to buy with ${shortName(tokenIn)}?`
  if (tokenIn === tokenOut) return `The token to buy is the one to sell: ${shortName(tokenIn)}. Which other token do you want?`
  if (amount !== null) return null
  return `${unreadAmount === null ? '' : `${unreadAmount} `}How much ${shortName(tokenIn)} do you want to sell?`
}

/** The quote that can be had, or null when there is none. */
async function* quoteLines(asking: Asking, swap: AskedSwap): AsyncGenerator<string, QuoteResult | null, void> {
  const executable = await asking.call('quote_swap', { ...swap })
  if (executable.ok) {
    yield quoteLine(swap, executable.value)
    yield sourceLine(executable.value)
    return executable.value
  }
  yield `No executable quote. ${failureLine(executable)}`
  if (executable.reason !== 'not-found') return null
  const reference = await asking.call('quote_reference', { ...swap })
  if (!reference.ok) {
    // a token that is unknown to one is unknown to the other
    if (reference.detail !== executable.detail) yield `No reference quote either. ${failureLine(reference)}`
    return null
  }
  yield quoteLine(swap, reference.value)
  yield sourceLine(reference.value)
  return reference.value
}

function quoteLine(swap: AskedSwap, quote: QuoteResult): string {
  const sold = swap.amount_currency === 'usd' ? `${swap.amount} USD of ${quote.token_in}` : `${swap.amount} ${quote.token_in}`
  const fee = quote.fees.swap_fee_bps === undefined ? '' : `, fee ${quote.fees.swap_fee_bps} bps`
  const what = quote.executable ? 'brings' : 'would bring, at oracle prices and for reference only,'
  return `Selling ${sold} ${what} ${quote.expected_out} ${quote.token_out} on ${quote.chain} (price impact ${quote.price_impact_bps} bps${fee}, slippage ${quote.slippage_bps} bps). Quote ${quote.quote_id} is good until ${quote.expires_at}.`
}

function* riskLines({ level, aggregate_score, checks, flags, source }: RiskResult): Generator<string, void, void> {
  yield aggregate_score === null
    ? `Risk: ${level}, because data is missing.`
    : `Risk: ${level}, score ${aggregate_score} of 10 (10 is safest).`
  for (const { name, result, score, details } of checks)
    yield `- ${name}: ${result}${score === null ? '' : ` (${score})`}: ${details.summary}`
  if (flags.length > 0) yield `Flags: ${flags.join(', ')}.`
  yield sourceLine({ source })
}

function amountText({ amount, amount_currency, token_in }: AskedSwap): string {
  return amount_currency === 'usd' ? `${amount} USD of ${shortName(token_in)}` : `${amount} ${shortName(token_in)}`
}
