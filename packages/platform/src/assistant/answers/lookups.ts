/** Questions that one tool answers: its name, its arguments and the template of the answer. */
import type { WalletsResult } from '../../tools/execution-tools.ts'
import { type Bounds, boundsOf } from '../reading/period.ts'
import type { Entities } from '../reading/read-text.ts'
import type { Topic } from '../reading/topics.ts'
import { type Answer, type Asking, failureLine } from './asking.ts'
import { type Line, render } from './template.ts'

interface Lookup {
  readonly tool: string
  readonly lines: readonly Line[]
  readonly args?: (entities: Entities, asking: Asking) => Readonly<Record<string, unknown>>
  /** What must be named, and the question for it. */
  readonly needs?: readonly [keyof Entities, string]
}

const MAX_POOLS = 5
const MAX_POSITIONS = 8
const MAX_WALLETS = 3
const KNOWN_PERIODS = '"today", "this week", "last month", "last 24 hours" and "since 2026-01-31"'
const onChain = ({ chain }: Entities) => ({ chain })
const BLOCK_FACTS: readonly Line[] = [
  'It has {transactions} transactions and used {gas_used} of {gas_limit} gas.',
  'The base fee was {base_fee_wei} wei.',
]
const BLOCK: readonly Line[] = ['Block {number} of {chain}, made {timestamp}, hash {hash}.', ...BLOCK_FACTS]
const VOLUME: readonly Line[] = [
  'Volume of your trades{period}: {volume.usd|usd} USD.',
  { each: 'volume.by_agent', line: '- {key}: {value|usd} USD' },
]
const TOKEN_LINE = '- {symbol}: {address}, {decimals} decimals'
const POSITION_LINE =
  '- {agent}: {quantity} {token_symbol} on chain {chain_id}, average cost {cost_basis_usd_per_unit|usd} USD, worth {market_value_usd|usd} USD (unrealised {unrealized_pnl_usd|usd} USD, realised {realized_pnl_usd|usd} USD), marked {updated_at}'

export const LOOKUPS: Readonly<Partial<Record<Topic, Lookup>>> = {
  newest_block: {
    tool: 'block_latest',
    args: onChain,
    lines: ['The newest block of {chain} is {number}, made {timestamp}, hash {hash}.', ...BLOCK_FACTS],
  },
  block: { tool: 'block_by_number', args: ({ blockNumber, chain }) => ({ number: blockNumber, chain }), lines: BLOCK },
  block_of_hash: { tool: 'block_by_hash', args: ({ hash, chain }) => ({ hash, chain }), lines: BLOCK },
  gas: {
    tool: 'gas_price',
    args: onChain,
    lines: ['Gas on {chain} costs {gas_price_gwei} gwei ({gas_price_wei} wei).', 'The base fee is {base_fee_wei} wei of it.'],
  },
  token: {
    tool: 'token_info',
    args: ({ tokenIn, tokenOut, chain }) => ({ token: tokenIn ?? tokenOut, chain }),
    lines: ['{symbol} on {chain} is at {address} and has {decimals} decimals. Among the configured tokens: {known}.'],
  },
  token_list: { tool: 'tokens_list', args: onChain, lines: ['{chain} has these tokens:', { each: 'tokens', line: TOKEN_LINE }] },
  chains: { tool: 'chains_list', lines: [{ each: 'chains', line: '- {name} ({id}): native currency {native_symbol}' }] },
  deposit: {
    tool: 'deposit_status',
    needs: ['hash', 'Which deposit? Give me the hash of its L1 transaction: 0x and 64 hex digits.'],
    args: ({ hash }) => ({ tx_hash: hash }),
    lines: [
      'Deposit {l1_tx_hash} is {state}: on L1 {l1_status}.',
      'L1 block {l1_block_number}, {l1_confirmations} confirmations.',
      'On L2 it is {l2_tx_hash}.',
      'Expected by {estimated_completion_time}.',
      ...['{reason|text}', '{next_action|text}', 'This is the last known state: {stale|text}'],
    ],
  },
  tvl: { tool: 'tvl_get', args: onChain, lines: ['Value locked on {chain}: {tvl_usd} USD. Everything has a price: {complete}.'] },
  pools: {
    tool: 'pools_list',
    args: ({ chain }) => ({ chain, limit: MAX_POOLS }),
    lines: [
      'Pools of {chain}, the most valuable first:',
      { each: 'pools', line: '- {symbol} ({project}, {pool}): {tvl_usd} USD', none: '- none that are read here' },
    ],
  },
  research: {
    tool: 'research_run',
    args({ tokenIn, tokenOut, chain }, { chains }) {
      const name = chain ?? chains[0]?.name
      return { tvl_chain: name, pools_chain: name, price_symbol: tokenIn ?? tokenOut, pools_limit: name === undefined ? undefined : 3 }
    },
    lines: ['{summary|text}', { each: 'errors', line: '- {source} gave nothing: {detail|text}', max: MAX_POOLS }],
  },
  bitcoin_block: {
    tool: 'bitcoin_latest_block',
    lines: ['The newest bitcoin block is {height}, made {timestamp}, with {tx_count} transactions, hash {hash}.'],
  },
  bitcoin_address: {
    tool: 'bitcoin_validate_address',
    args: ({ bitcoinAddress }) => ({ address: bitcoinAddress }),
    lines: ['Address {address}, valid: {valid}.', 'Its type is {type}, on {networks}.', '{message|text}'],
  },
  bitcoin_transaction: {
    tool: 'bitcoin_decode_tx',
    args: ({ rawTransaction }) => ({ raw_tx: rawTransaction }),
    lines: [
      'Transaction {txid}: {inputs.length} inputs, {outputs.length} outputs of {total_output_sats} satoshis in all, {virtual_size} virtual bytes.',
      { each: 'outputs', line: '- output {n}: {value_btc} BTC, {type}', max: MAX_POOLS },
    ],
  },
  wallets: {
    tool: 'wallets_list',
    lines: [
      {
        each: 'wallets',
        line: '- {wallet_ref}: {address} on chain {chain_id}, shared by all users here: {shared}',
        none: 'No wallet is configured for you; the operator sets them up.',
      },
    ],
  },
  positions: {
    tool: 'positions',
    args: () => ({ limit: MAX_POSITIONS }),
    lines: [{ each: 'positions', line: POSITION_LINE, none: 'You have no positions.' }],
  },
  pnl: {
    tool: 'portfolio_metrics',
    args: periodOf,
    lines: [
      'Realised profit and loss{period}: {realized_pnl.usd|usd} USD.',
      { each: 'realized_pnl.by_agent', line: '- {key}: {value|usd} USD' },
      'Unrealised, of all that is held now at the last prices: {unrealized_pnl.usd|usd} USD.',
    ],
  },
  volume: { tool: 'portfolio_metrics', args: periodOf, lines: VOLUME },
  trades: { tool: 'portfolio_metrics', args: periodOf, lines: ['I have no list of single trades; these are their totals.', ...VOLUME] },
}
const BALANCE: readonly Line[] = [
  '{address} has on {chain}: {balance} {native_symbol}',
  '- worth {balance_usd|usd} USD',
  { each: 'tokens', line: '- {balance} {symbol}' },
  { each: 'tokens', line: '- {symbol} is worth {balance_usd|usd} USD' },
]

export async function* lookUp({ tool, args, lines, needs }: Lookup, asking: Asking): Answer {
  const { entities } = asking.question
  if (needs !== undefined && entities[needs[0]] === null) return yield needs[1]
  const given = args?.(entities, asking) ?? {}
  const found = await asking.call<{ readonly source: string; readonly as_of?: string | null }>(tool, given)
  if (!found.ok) return yield failureLine(found)
  const isUnread = entities.period?.kind === 'unread' && args === periodOf
  if (isUnread) yield `I cannot read which time you mean, so this is of all time. I know ${KNOWN_PERIODS}.`
  yield* render(
    lines.map((line) => (typeof line === 'string' ? line.replace('{period}', periodText(given)) : line)),
    found.value,
  )
  yield* render([found.value.as_of ? 'Source: {source}, as of {as_of}.' : 'Source: {source}.'], found.value)
}

function periodOf({ period }: Entities, { nowMs }: Asking): Partial<Bounds> {
  return (period === null ? null : boundsOf(period, nowMs)) ?? {}
}

function periodText({ start, end = 'now' }: Partial<Bounds>): string {
  return start === undefined ? ', of all time' : ` from ${start} until ${end}`
}

/** The balance of a named address, else of the user's wallets. */
export async function* answerBalance(asking: Asking): Answer {
  const { address, chain } = asking.question.entities
  if (address !== null) return yield* lookUp({ tool: 'wallet_balance', args: () => ({ address, chain }), lines: BALANCE }, asking)
  const listed = await asking.call<WalletsResult>('wallets_list', {})
  if (!listed.ok) return yield failureLine(listed)
  if (listed.value.wallets.length === 0) yield 'Of which address? No wallet is configured for you, so give me one: 0x and 40 hex digits.'
  for (const { wallet_ref, address: own, chain_id, shared } of listed.value.wallets.slice(0, MAX_WALLETS)) {
    yield* lookUp({ tool: 'wallet_balance', args: () => ({ address: own, chain: chain ?? String(chain_id) }), lines: BALANCE }, asking)
    if (shared) yield `That is wallet ${wallet_ref}, which all users here share: what it holds is not yours alone.`
  }
}
