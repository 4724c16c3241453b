/** Blocks, gas, tokens, chains, deposits. */
import { type Answer, type Asking, failureLine, sentence, sourceLine } from './asking.ts'

const MAX_LISTED = 12

export async function* answerBlock({ question, call }: Asking): Answer {
  const { blockNumber, hashes } = question.entities
  const chain = question.entities.chain ?? undefined
  const [hash] = hashes
  const found = await (blockNumber !== null
    ? call('block_by_number', { number: blockNumber, chain })
    : hash !== undefined
      ? call('block_by_hash', { hash, chain })
      : call('block_latest', { chain }))
  if (!found.ok) return yield failureLine(found)
  const block = found.value
  const which = blockNumber === null && hash === undefined ? 'The newest block' : 'Block'
  yield `${which} ${blockNumber === null && hash === undefined ? `of ${block.chain} is ` : ''}${block.number}${blockNumber === null && hash === undefined ? '' : ` of ${block.chain}`}, made ${block.timestamp}, hash ${block.hash}.`
  yield `It has ${block.transactions} ${block.transactions === 1 ? 'transaction' : 'transactions'} and used ${block.gas_used} of ${block.gas_limit} gas${block.base_fee_wei === null ? '' : `; the base fee was ${block.base_fee_wei} wei`}.`
  yield sourceLine(block)
}

export async function* answerGas({ question, call }: Asking): Answer {
  const found = await call('gas_price', { chain: question.entities.chain ?? undefined })
  if (!found.ok) return yield failureLine(found)
  const { chain, gas_price_gwei, gas_price_wei, base_fee_wei } = found.value
  yield `Gas on ${chain} costs ${gas_price_gwei} gwei (${gas_price_wei} wei)${base_fee_wei === null ? '' : `, of which the base fee is ${base_fee_wei} wei`}.`
  yield sourceLine(found.value)
}

/** Of one that is named, else all. */
export async function* answerToken(asking: Asking): Answer {
  const { tokenIn, tokenOut, addresses, chain } = asking.question.entities
  const token = tokenIn ?? tokenOut ?? addresses[0]
  if (token === undefined) return yield* answerTokenList(asking)
  const found = await asking.call('token_info', { token, chain: chain ?? undefined })
  if (!found.ok) return yield failureLine(found)
  const { symbol, address, decimals, known, native } = found.value
  yield native
    ? `${symbol} is the native currency of ${found.value.chain}, with ${decimals} decimals; ${address} stands for it.`
    : `${symbol} on ${found.value.chain} is at ${address} and has ${decimals} decimals.${known ? '' : ' It is not among the configured tokens: its name is what its contract says of itself.'}`
  yield sourceLine(found.value)
}

export async function* answerTokenList({ question, call }: Asking): Answer {
  const found = await call('tokens_list', { chain: question.entities.chain ?? undefined })
  if (!found.ok) return yield failureLine(found)
  yield `${found.value.chain} has these tokens:`
  for (const { symbol, address, decimals } of found.value.tokens.slice(0, MAX_LISTED)) yield `- ${symbol}: ${address}, ${decimals} decimals`
  yield sourceLine(found.value)
}

export async function* answerChains({ call }: Asking): Answer {
  const found = await call('chains_list', {})
  if (!found.ok) return yield failureLine(found)
  if (found.value.chains.length === 0) return yield 'No chain is configured here.'
  for (const { id, name, native_symbol, exchange, price_pairs } of found.value.chains.slice(0, MAX_LISTED)) {
    const prices = price_pairs.length === 0 ? 'no price feeds' : `price feeds of ${price_pairs.slice(0, MAX_LISTED).join(', ')}`
    yield `- ${name} (${id}): native currency ${native_symbol}, ${exchange === null ? 'no exchange' : `exchange ${exchange}`}, ${prices}`
  }
  yield sourceLine(found.value)
}

export async function* answerDeposit({ question, call }: Asking): Answer {
  const [hash] = question.entities.hashes
  if (hash === undefined) return yield 'Which deposit? Give me the hash of its L1 transaction: 0x and 64 hex digits.'
  const found = await call('deposit_status', { tx_hash: hash })
  if (!found.ok) return yield failureLine(found)
  const status = found.value
  const at = status.l1_block_number === null ? '' : ` in L1 block ${status.l1_block_number}, ${status.l1_confirmations} confirmations`
  yield `Deposit ${status.l1_tx_hash} is ${status.state}: on L1 ${status.l1_status}${at}.`
  if (status.l2_tx_hash !== null)
    yield `On L2 it is ${status.l2_tx_hash}${status.l2_block_number === null ? '' : ` in block ${status.l2_block_number}`}.`
  if (status.estimated_completion_time !== null && status.state !== 'complete') yield `Expected by ${status.estimated_completion_time}.`
  if (status.reason !== null) yield sentence(status.reason)
  if (status.next_action !== '') yield sentence(status.next_action)
  if (status.stale !== null) yield `This is what was last seen: ${sentence(status.stale)}`
  yield `Source: ${status.source}, as of ${status.as_of}.`
}
