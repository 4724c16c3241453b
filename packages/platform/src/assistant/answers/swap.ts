import { Decimal } from '../../market/decimal.ts'
import type { TokenPriceResult } from '../../schemas/defidata.ts'
import type { OraclePriceResult } from '../../tools/market-tools.ts'
import type { ExecutionToolResult, QuoteResult, RiskResult, WalletsResult } from '../../tools/swap-tools.ts'
import answers from '../data/answers.json' with { type: 'json' }
import { type Answer, type Asking, failureLine, render, shortName } from './answer.ts'

interface AskedSwap {
  readonly token_in: string
  readonly token_out: string
  readonly amount: string
  readonly amount_currency: 'usd' | null
  readonly slippage_bps: number | null
  readonly chain: string | null
}

interface HeldResult {
  readonly balance: string
  readonly native_symbol: string
  readonly tokens: readonly { readonly symbol: string; readonly balance: string }[]
}

const MAX_WALLETS = 3
const EXECUTE = 'POST /api/v1/multi-agent/execute/evm'
const DOLLAR = 'USD'
const SHOWN_DIGITS = 12

export async function* answerPrice({ question, call }: Asking): Answer {
  const { tokenIn, tokenOut, amount, chain } = question.entities
  const base = tokenIn ?? tokenOut
  if (base === null) return yield 'Of which token do you want the price? Name one, such as ETH, or a pair such as ETH/USD.'
  const quote = base.startsWith('0x') || tokenIn === null ? DOLLAR : (tokenOut ?? DOLLAR)
  const found = base.startsWith('0x')
    ? await call<TokenPriceResult>('token_price', { symbol: base, chain })
    : await call<OraclePriceResult>('oracle_price', { pair: `${base}/${quote}`, chain })
  if (!found.ok) return yield `I have no price of ${shortName(base)} in ${shortName(quote)}. ${failureLine(found)}`
  const price = new Decimal('price' in found.value ? found.value.price : found.value.price_usd)
  const shown = (value: Decimal) => value.toSignificantDigits(SHOWN_DIGITS).toFixed()
  yield `1 ${base} = ${shown(price)} ${quote}.`
  if (amount !== null && amount.of !== 'out' && !amount.isUsd) yield `${amount.value} ${base} = ${shown(price.mul(amount.value))} ${quote}.`
  yield* render(['It was updated {age_seconds} s ago ({updated_at}), method {method}.', 'Source: {source}.'], found.value)
}

/** Both prices in dollars, and one in the other. */
export async function* answerComparison(asking: Asking): Answer {
  const { question } = asking
  const { tokenIn, tokenOut } = question.entities
  for (const [one, other] of [
    [tokenIn, null],
    [tokenOut, null],
    [tokenIn, tokenOut],
  ])
    yield* answerPrice({
      ...asking,
      question: { ...question, entities: { ...question.entities, tokenIn: one ?? null, tokenOut: other ?? null, amount: null } },
    })
  yield 'I compare prices only; for the risk of one, ask "risk of" it.'
}

/** "yes, do it" */
export async function* answerConfirmation(asking: Asking): Answer {
  const { tokenIn, tokenOut } = asking.question.entities
  if (tokenIn === null || tokenOut === null) return yield* answers.texts.nothing_to_confirm
  yield 'I cannot do it for you, because I move no money. This is the swap at the prices of now, and the request with which you execute it:'
  yield* answerSwap(asking)
}

export async function* answerQuote(asking: Asking): Answer {
  const swap = yield* askedSwap(asking)
  if (swap === null || (yield* quoteLines(asking, swap)) === null) return
  yield 'Nothing was traded. Ask for the risk of it, or say that you want to swap.'
}

export async function* answerSwap(asking: Asking): Answer {
  const swap = yield* askedSwap(asking)
  const quote = swap === null ? null : yield* quoteLines(asking, swap)
  if (swap === null || quote === null) return
  const risk = await asking.call<RiskResult>('risk_assess', { ...swap, quote_id: quote.quote_id })
  yield* risk.ok ? riskLines(risk.value) : [`The risk cannot be assessed. ${failureLine(risk)}`]
  const wallets = await asking.call<WalletsResult>('wallets_list', {})
  if (!wallets.ok) return yield failureLine(wallets)
  if (!quote.executable) return yield 'Nothing was traded, and there is no route to trade it through.'
  const wallet = wallets.value.wallets.find(({ chain_id }) => chain_id === quote.chain_id)
  if (wallet === undefined)
    return yield `No wallet of yours is configured on ${quote.chain}, so I cannot simulate it; the operator sets wallets up. Nothing was traded.`
  const { wallet_ref, address, shared } = wallet
  const simulated = await asking.call<ExecutionToolResult>('swap_simulate', { ...swap, wallet_ref, quote_id: quote.quote_id })
  if (!simulated.ok) {
    yield `A simulation with wallet ${wallet_ref} (${address}) does not pass. ${failureLine(simulated)}`
    return yield 'Nothing was traded: I only read and simulate. An execution would be judged in the same way.'
  }
  yield `Simulation with wallet ${wallet_ref} (${address}${shared ? ', shared by all users here' : ''}): ${simulated.value.message}.`
  const body = { input: { ...quote.input, simulate_only: false }, confirm: true, wallet_ref, quote_id: quote.quote_id }
  yield `Nothing was traded: I only read and simulate. To execute it yourself, before ${quote.expires_at}: ${EXECUTE} with an Idempotency-Key header and this body:`
  yield `\`\`\`json\n${JSON.stringify(body)}\n\`\`\``
  yield 'Later, leave quote_id out, and the swap is quoted again.'
}

export async function* answerRisk(asking: Asking): Answer {
  const { tokenIn, tokenOut, chain } = asking.question.entities
  const sole = tokenIn === null || tokenOut === null ? (tokenIn ?? tokenOut) : null
  const swap = sole === null ? yield* askedSwap(asking) : null
  if (sole === null && swap === null) return
  const found = await asking.call<RiskResult>(swap === null ? 'token_risk' : 'risk_assess', { ...(swap ?? { token: sole, chain }) })
  if (!found.ok) return yield failureLine(found)
  const { quote } = found.value
  const facts = quote === null ? '' : ` (quote ${quote.quote_id}, ${quote.expected_out} out, impact ${quote.price_impact_bps} bps)`
  yield swap === null
    ? `Risk of ${shortName(sole ?? '')} by itself:`
    : `Risk of selling ${soldText(swap)} for ${shortName(swap.token_out)}${facts}:`
  yield* riskLines(found.value)
}

function riskLines(risk: RiskResult): readonly string[] {
  const { level, aggregate_score, flags, source } = risk
  const score = aggregate_score === null ? 'because data is missing' : `score ${aggregate_score} of 10 (10 is safest)`
  const checks = risk.checks.map(({ name, result, details }) => `- ${name}: ${result}: ${details.summary}`)
  return [`Risk: ${level}, ${score}.`, ...checks, ...(flags.length > 0 ? [`Flags: ${flags.join(', ')}.`] : []), `Source: ${source}.`]
}

/** Yields a question when something is missing. */
async function* askedSwap(asking: Asking): AsyncGenerator<string, AskedSwap | null, void> {
  const { tokenIn, tokenOut, amount, slippageBps, chain } = asking.question.entities
  const missing = missingPart(asking)
  if (missing !== null || tokenIn === null || tokenOut === null || amount === null) {
    if (tokenIn === null && tokenOut === null) yield* heldLines(asking)
    yield missing ?? ''
    return null
  }
  const swap = { token_in: tokenIn, token_out: tokenOut, slippage_bps: slippageBps, chain }
  if (amount.of !== 'out' || amount.isUsd) return { ...swap, amount: amount.value, amount_currency: amount.isUsd ? 'usd' : null }
  yield `A quote is for the amount that is sold, not for ${amount.value} ${shortName(tokenOut)}. ${howMuch(tokenIn)}`
  return null
}

/** What the caller's wallets hold, for a request that names no token. */
async function* heldLines({ call, question }: Asking): AsyncGenerator<string, void, void> {
  const { chain } = question.entities
  const listed = await call<WalletsResult>('wallets_list', {})
  if (!listed.ok) return
  for (const { wallet_ref, address, chain_id, shared } of listed.value.wallets.slice(0, MAX_WALLETS)) {
    const found = await call<HeldResult>('wallet_balance', { address, chain: chain ?? String(chain_id) })
    if (!found.ok) continue
    const { balance, native_symbol, tokens } = found.value
    const held = [{ balance, symbol: native_symbol }, ...tokens].filter((one) => !new Decimal(one.balance).isZero())
    const sum = held.length === 0 ? 'nothing' : held.map((one) => `${one.balance} ${shortName(one.symbol)}`).join(', ')
    yield `Wallet ${wallet_ref}${shared ? ', which all users here share,' : ''} holds ${sum}.`
  }
}

function missingPart({ question, chains }: Asking): string | null {
  const { tokenIn, tokenOut, amount, unread, chain: named } = question.entities
  if (tokenIn === null && tokenOut === null) {
    const chain = named === null ? chains[0] : chains.find(({ name }) => name === named)
    const listed = chain === undefined ? '' : ` ${chain.name} has ${chain.tokens.map(({ symbol }) => symbol).join(', ')}.`
    return `Which token do you want to sell, and which to buy?${listed}`
  }
  if (tokenIn === null) return `Which token do you want to sell for ${shortName(tokenOut ?? '')}?`
  if (tokenOut === null) return `Which token do you want to buy with ${shortName(tokenIn)}?`
  if (tokenIn === tokenOut) return `The token to buy is the one to sell: ${shortName(tokenIn)}. Which other token do you want?`
  return amount !== null ? null : `${unread === null ? '' : `${unread} `}${howMuch(tokenIn)}`
}

function howMuch(token: string): string {
  return `How much ${shortName(token)} do you want to sell?`
}

async function* quoteLines(asking: Asking, swap: AskedSwap): AsyncGenerator<string, QuoteResult | null, void> {
  const executable = await asking.call<QuoteResult>('quote_swap', { ...swap })
  if (!executable.ok) yield `No executable quote. ${failureLine(executable)}`
  if (!executable.ok && executable.reason !== 'not-found') return null
  const found = executable.ok ? executable : await asking.call<QuoteResult>('quote_reference', { ...swap })
  if (!found.ok) {
    // for an unknown token, both quotes fail with the same text
    if (executable.ok || found.detail !== executable.detail) yield `No reference quote either. ${failureLine(found)}`
    return null
  }
  const what = found.value.executable ? 'brings' : 'would bring, at oracle prices and for reference only,'
  yield* render(
    [
      `Selling ${soldText({ ...swap, token_in: found.value.token_in })} ${what} {expected_out} {token_out} on {chain} (price impact {price_impact_bps} bps, slippage {slippage_bps} bps).`,
      'The fee of the pools is {fees.swap_fee_bps} bps.',
      'Quote {quote_id} is good until {expires_at}.',
      'Source: {source}.',
    ],
    found.value,
  )
  return found.value
}

function soldText({ amount, amount_currency, token_in }: AskedSwap): string {
  return amount_currency === 'usd' ? `${amount} USD of ${shortName(token_in)}` : `${amount} ${shortName(token_in)}`
}
