/** Balances, wallets, positions, profit and loss, volume. */
import { Decimal } from '../../market/decimal.ts'
import type { WalletsResult } from '../../tools/execution-tools.ts'
import type { PortfolioMetricsResult } from '../../tools/portfolio-tools.ts'
import type { WalletBalanceResult } from '../../tools/wallet-tools.ts'
import { type Bounds, boundsOf } from '../period.ts'
import { type Answer, type Asking, failureLine, sourceLine } from './asking.ts'

const MAX_WALLETS = 3
const MAX_POSITIONS = 8
const MAX_AGENTS = 3
const MAX_TOKENS = 12
/** Of what is worth less than a dollar. */
const SHOWN_DIGITS = 4
const KNOWN_TIMES = '"today", "this week", "last month", "last 24 hours" and "since 2026-01-31"'

export async function* answerBalance({ question, call }: Asking): Answer {
  const { writtenAddresses } = question.entities
  const chain = question.entities.chain ?? undefined
  const written = writtenAddresses.at(-1)
  let asked: readonly { readonly address: string; readonly chain: string | undefined; readonly shared?: string }[] =
    written === undefined ? [] : [{ address: written, chain }]
  if (written === undefined) {
    const wallets = await call('wallets_list', {})
    if (!wallets.ok) return yield failureLine(wallets)
    asked = wallets.value.wallets
      .slice(0, MAX_WALLETS)
      .map((wallet) => ({ address: wallet.address, chain: chain ?? String(wallet.chain_id), shared: sharedLine(wallet) }))
    if (asked.length === 0) return yield 'Of which address? No wallet is configured for you, so give me one: 0x and 40 hex digits.'
  }
  for (const { shared = '', ...one } of asked) {
    const found = await call('wallet_balance', one)
    if (!found.ok) {
      yield failureLine(found)
      continue
    }
    yield balanceLine(found.value)
    yield shared
    yield sourceLine(found.value)
  }
}

export async function* answerWallets({ call }: Asking): Answer {
  const found = await call('wallets_list', {})
  if (!found.ok) return yield failureLine(found)
  const { wallets } = found.value
  if (wallets.length === 0) return yield 'No wallet is configured for you; the operator sets them up.'
  for (const wallet of wallets.slice(0, MAX_TOKENS)) {
    const { wallet_ref, address, chain_id, shared } = wallet
    yield `- ${wallet_ref}: ${address} on chain ${chain_id}${shared ? ', shared by all users here' : ''}`
  }
  yield sourceLine(found.value)
}

export async function* answerPositions({ call }: Asking): Answer {
  const found = await call('positions', { limit: MAX_POSITIONS })
  if (!found.ok) return yield failureLine(found)
  const { positions } = found.value
  if (positions.length === 0) return yield `You have no positions. ${sourceLine(found.value)}`
  for (const position of positions.slice(0, MAX_POSITIONS)) {
    const { agent, token_symbol, chain_id, quantity, cost_basis_usd_per_unit, market_value_usd, unrealized_pnl_usd } = position
    yield `- ${agent}: ${quantity} ${token_symbol} on chain ${chain_id}, average cost ${dollars(cost_basis_usd_per_unit)} USD, worth ${dollars(market_value_usd)} USD (unrealised ${dollars(unrealized_pnl_usd)} USD, realised ${dollars(position.realized_pnl_usd)} USD), marked ${position.updated_at}`
  }
  yield sourceLine(found.value)
}

export async function* answerPnl(asking: Asking): Answer {
  const { args, words, remark } = askedTime(asking)
  const found = await asking.call('portfolio_metrics', args)
  if (!found.ok) return yield failureLine(found)
  const { realized_pnl, unrealized_pnl } = found.value
  yield remark
  yield `Realised profit and loss${words}: ${sumText(realized_pnl)}. Unrealised, of all that is held now at the last prices: ${sumText(unrealized_pnl)}.`
  yield sourceLine(found.value)
}

export async function* answerVolume(asking: Asking): Answer {
  const { args, words, remark } = askedTime(asking)
  const found = await asking.call('portfolio_metrics', args)
  if (!found.ok) return yield failureLine(found)
  yield remark
  yield `Volume of your trades${words}: ${sumText(found.value.volume)}.`
  yield sourceLine(found.value)
}

/** There is no list of single trades to read: what they come to, and what they left. */
export async function* answerTrades(asking: Asking): Answer {
  yield 'I have no list of single trades; this is what they come to.'
  yield* answerVolume(asking)
  yield* answerPositions(asking)
}

interface AskedTime {
  readonly args: Partial<Bounds>
  /** To stand behind what the figure is. */
  readonly words: string
  /** What was not understood; empty when nothing was. */
  readonly remark: string
}

function askedTime({ question, nowMs }: Asking): AskedTime {
  const { period } = question.entities
  const bounds = period === null ? null : boundsOf(period, nowMs)
  if (bounds !== null) {
    const until = bounds.end === undefined ? 'until now' : `until ${bounds.end}`
    return { args: bounds, words: ` from ${bounds.start} ${until}`, remark: '' }
  }
  const remark = `I cannot read which time you mean, so this is of all time. I know ${KNOWN_TIMES}.`
  return { args: {}, words: ', of all time', remark: period === null ? '' : remark }
}

/** Empty for a wallet that is the user's alone, or some users'. */
function sharedLine({ wallet_ref, shared }: WalletsResult['wallets'][number]): string {
  return shared ? `That is wallet ${wallet_ref}, which all users here share: what it holds is not yours alone.` : ''
}

/** Dollars and cents, or four digits of less than a dollar. */
function dollars(usd: number | string): string {
  const value = new Decimal(usd)
  return (value.abs().lt(1) ? value.toSignificantDigits(SHOWN_DIGITS) : value.toDecimalPlaces(2)).toFixed()
}

function sumText({ usd, by_agent }: PortfolioMetricsResult['volume']): string {
  const agents = by_agent.slice(0, MAX_AGENTS).map(({ key, value }) => `${key} ${dollars(value)} USD`)
  return `${dollars(usd)} USD${agents.length === 0 ? '' : ` (${agents.join(', ')}${by_agent.length > MAX_AGENTS ? ', …' : ''})`}`
}

function balanceLine({ address, balance, balance_usd, native_symbol, chain, tokens }: WalletBalanceResult): string {
  const worth = (usd: string | null) => (usd === null ? ' (no price)' : ` (${dollars(usd)} USD)`)
  const parts = tokens.slice(0, MAX_TOKENS).map((token) => `${token.balance} ${token.symbol}${worth(token.balance_usd)}`)
  return `${address} has on ${chain}: ${[`${balance} ${native_symbol}${worth(balance_usd)}`, ...parts].join(', ')}.`
}
