/** Quotes, risk and simulations of a swap. Nothing here executes it: the answer names the endpoint at which the user confirms. */
import type { QuoteResult, RiskResult } from '../../tools/quote-tools.ts'
import { type AskedSwap, askedSwap } from './asked-swap.ts'
import { type Answer, type Asking, failureLine, shortName, sourceLine } from './asking.ts'

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
  yield* risk.ok ? riskLines(risk.value) : [`The risk cannot be assessed. ${failureLine(risk)}`]
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
  yield 'Later, leave quote_id out, and the swap is quoted again.'
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

/** Returns the executable quote, else the reference quote, else null. */
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
