/** Value locked, pools, research, bitcoin. */
import type { PoolRow } from '../../schemas/defidata.ts'
import { type Answer, type Asking, chainNamed, failureLine, sentence, sourceLine } from './asking.ts'

const MAX_POOLS = 5
const RESEARCH_POOLS = 3
const MAX_SUMMARY = 1_600
const MAX_ERRORS = 5

export async function* answerTvl({ question, call }: Asking): Answer {
  const found = await call('tvl_get', { chain: question.entities.chain ?? undefined })
  if (!found.ok) return yield failureLine(found)
  const { chain, tvl_usd, complete, as_of, pools, source } = found.value
  yield `Value locked on ${chain}: ${tvl_usd} USD${complete ? '' : ', without what has no price'}${pools.length === 0 ? '' : `, in ${pools.length} pools`}.`
  yield `Source: ${source}${as_of === null ? '' : `, as of ${as_of}`}.`
}

export async function* answerPools({ question, call }: Asking): Answer {
  const found = await call('pools_list', { chain: question.entities.chain ?? undefined, limit: MAX_POOLS })
  if (!found.ok) return yield failureLine(found)
  const { chain, pools } = found.value
  if (pools.length === 0) return yield `${chain} has no pools that are read here. ${sourceLine(found.value)}`
  yield `Pools of ${chain}, the most valuable first:`
  for (const pool of pools.slice(0, MAX_POOLS)) yield poolLine(pool)
  yield sourceLine(found.value)
}

export async function* answerResearch(asking: Asking): Answer {
  const { tokenIn, tokenOut, chain } = asking.question.entities
  const name = chain ?? chainNamed(asking)?.name
  const token = tokenIn ?? tokenOut ?? undefined
  const found = await asking.call('research_run', {
    ...{ tvl_chain: name, pools_chain: name, price_symbol: token },
    pools_limit: name === undefined ? undefined : RESEARCH_POOLS,
  })
  if (!found.ok) return yield failureLine(found)
  const { summary, errors } = found.value
  yield sentence(summary, MAX_SUMMARY)
  for (const { source, detail } of errors.slice(0, MAX_ERRORS)) yield `- ${source} gave nothing: ${sentence(detail)}`
  yield sourceLine(found.value)
}

export async function* answerBitcoinBlock({ call }: Asking): Answer {
  const found = await call('bitcoin_latest_block', {})
  if (!found.ok) return yield failureLine(found)
  const { height, hash, timestamp, tx_count } = found.value
  yield `The newest bitcoin block is ${height}, made ${timestamp}, with ${tx_count} transactions, hash ${hash}.`
  yield sourceLine(found.value)
}

export async function* answerBitcoinAddress({ question, call }: Asking): Answer {
  const found = await call('bitcoin_validate_address', { address: question.entities.bitcoinAddress ?? undefined })
  if (!found.ok) return yield failureLine(found)
  const { address, valid, type, networks, message } = found.value
  yield valid
    ? `${address} is a valid bitcoin address of type ${type} on ${networks.join(' or ')}.`
    : `${address} is no valid bitcoin address: ${sentence(message)}`
  yield sourceLine(found.value)
}

export async function* answerBitcoinTransaction({ question, call }: Asking): Answer {
  const found = await call('bitcoin_decode_tx', { raw_tx: question.entities.rawTransaction ?? undefined })
  if (!found.ok) return yield failureLine(found)
  const { txid, inputs, outputs, total_output_sats, virtual_size } = found.value
  yield `Transaction ${txid}: ${inputs.length} inputs, ${outputs.length} outputs of ${total_output_sats} satoshis in all, ${virtual_size} virtual bytes.`
  for (const { n, value_btc, address, type } of outputs.slice(0, MAX_POOLS)) yield `- output ${n}: ${value_btc} BTC to ${address ?? type}`
  yield sourceLine(found.value)
}

function poolLine({ symbol, pool, project, tvl_usd, tokens }: PoolRow): string {
  const holds = tokens.map(({ amount, symbol: token }) => `${amount} ${token}`).join(' and ')
  return `- ${symbol} (${project}, ${pool}): ${tvl_usd === null ? 'value unknown' : `${tvl_usd} USD`}${holds === '' ? '' : `, ${holds}`}`
}
