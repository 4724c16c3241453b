import type { WalletsResult } from '../../tools/swap-tools.ts'
import answers from '../data/answers.json' with { type: 'json' }
import { boundsOf } from '../reading/period.ts'
import type { Topic } from '../reading/topics.ts'
import { type Answer, type Asking, type Called, failureLine, type Line, render, sentence } from './answer.ts'

interface Sourced {
  readonly source: string
}

interface Lookup {
  readonly tool: string
  readonly lines: readonly Line[]
  /** The value `$name` is replaced by the question's entity `name`. */
  readonly args?: Readonly<Record<string, unknown>>
  readonly needs?: readonly [string, string]
}

const LOOKUPS = answers.lookups as unknown as Readonly<Partial<Record<Topic, Lookup>>> & {
  readonly balance: Lookup
  readonly transaction: Lookup
  readonly deposit: Lookup
}
const TEXTS = answers.texts as Readonly<Partial<Record<Topic, readonly string[]>>>
const MAX_WALLETS = 3
const MAX_PARTS = 3
const MAX_PART = 80
const KNOWN_PERIODS = '"today", "this week", "last month", "last 24 hours" and "since 2026-01-31"'

export function lookupAnswer(asking: Asking): Answer | null {
  const { topic } = asking.question
  if (topic === 'balance') return answerBalance(asking)
  if (topic === 'transaction') return answerTransaction(asking)
  const lookup = topic === null ? undefined : LOOKUPS[topic]
  return lookup === undefined ? null : lookUp(lookup, asking)
}

export function textAnswer({ question: { topic, term, parts }, chains }: Asking): readonly string[] | null {
  if (topic === 'term') return [term ?? '']
  if (topic === 'several') {
    const shown = parts.slice(0, MAX_PARTS).map((part) => `"${sentence(part, MAX_PART).replace(/\.$/, '')}"`)
    return [`I answer one question per message, and I read ${parts.length} in this one: ${shown.join(', ')}. Send them one by one.`]
  }
  if (topic !== null && topic !== 'help') return TEXTS[topic] ?? null
  const names = chains.map(({ name, id }) => `${name} (${id})`).join(', ')
  const limits = `Chains: ${names === '' ? 'none' : names}. I only read and simulate: I move no money, and I have no figures of other chains.`
  return [...(topic === null ? answers.texts.not_understood : answers.texts.help), limits]
}

async function* lookUp({ tool, args = {}, lines, needs }: Lookup, asking: Asking, named: Readonly<Record<string, unknown>> = {}): Answer {
  const { question, chains, nowMs } = asking
  const { period, tokenIn, tokenOut, chain } = question.entities
  const chainOrMain = chain ?? chains[0]?.name
  const bounds = period === null ? null : boundsOf(period, nowMs)
  const values: Readonly<Record<string, unknown>> = {
    ...question.entities,
    ...bounds,
    token: tokenIn ?? tokenOut,
    chainOrMain,
    poolsLimit: chainOrMain === undefined ? null : 3,
    ...named,
  }
  if (needs !== undefined && values[needs[0]] === null) return yield needs[1]
  const argument = (arg: unknown) => (typeof arg === 'string' && arg.startsWith('$') ? values[arg.slice(1)] : arg)
  const given = Object.fromEntries(Object.entries(args).map(([name, arg]) => [name, argument(arg)]))
  const found = await asking.call<{ readonly source: string; readonly as_of?: string | null }>(tool, given)
  if (!found.ok) return yield failureLine(found)
  if (period?.kind === 'unread' && 'start' in args)
    yield `I cannot read which time you mean, so this is of all time. I know ${KNOWN_PERIODS}.`
  const time = bounds === null ? ', of all time' : ` from ${bounds.start} until ${bounds.end ?? 'now'}`
  yield* render(
    lines.map((line) => (typeof line === 'string' ? line.replace('{period}', time) : line)),
    found.value,
  )
  yield* render([found.value.as_of ? 'Source: {source}, as of {as_of}.' : 'Source: {source}.'], found.value)
}

/** A hash may be that of a deposit, which is a transaction of L1. */
async function* answerTransaction(asking: Asking): Answer {
  const { hash, chain } = asking.question.entities
  if (hash === null || chain !== null) return yield* lookUp(LOOKUPS.transaction, asking)
  const found = await asking.call<Sourced>('transaction_status', { tx_hash: hash })
  if (found.ok || found.reason !== 'not-found') return yield* rendered(LOOKUPS.transaction, found)
  const deposit = await asking.call<Sourced>('deposit_status', { tx_hash: hash })
  if (deposit.ok) return yield* rendered(LOOKUPS.deposit, deposit)
  yield `${sentence(found.detail)} ${failureLine(deposit)}`
  yield 'It was not sent, or to another chain, or its hash is another: a transaction that was sent again with higher fees has a new one.'
}

function* rendered({ lines }: Lookup, found: Called<Sourced>): Generator<string, void, void> {
  if (!found.ok) return yield failureLine(found)
  yield* render([...lines, 'Source: {source}.'], found.value)
}

async function* answerBalance(asking: Asking): Answer {
  const { address, chain } = asking.question.entities
  if (address !== null) return yield* lookUp(LOOKUPS.balance, asking)
  const listed = await asking.call<WalletsResult>('wallets_list', {})
  if (!listed.ok) return yield failureLine(listed)
  if (listed.value.wallets.length === 0) yield 'Of which address? No wallet is configured for you, so give me one: 0x and 40 hex digits.'
  for (const { wallet_ref, address: own, chain_id, shared } of listed.value.wallets.slice(0, MAX_WALLETS)) {
    yield* lookUp(LOOKUPS.balance, asking, { address: own, chain: chain ?? String(chain_id) })
    if (shared) yield `That is wallet ${wallet_ref}, which all users here share: what it holds is not yours alone.`
  }
}
