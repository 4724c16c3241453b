/** Answers about the assistant itself: what it can do, what a term means, and why it did not answer. */
import { explain, findTerm } from '../glossary.ts'
import { type Answer, type Asking, sentence } from './asking.ts'

const MAX_PARTS = 3
const MAX_PART = 80
const ABILITIES = [
  '- prices: "price of ETH", "what is WETH in testUSD?"',
  '- swaps: "quote 1 ETH to testUSD", "is it safe to swap 1 ETH to testUSD?", "swap 1 ETH to testUSD" (I quote, assess and simulate; you execute, with POST /api/v1/multi-agent/execute/evm)',
  '- chains: "latest block", "block 12", "gas price", "tokens", "balance of 0x…", "status of my deposit 0x…"',
  '- your portfolio: "my positions", "my pnl", "my volume", "my wallets"',
  '- data: "tvl", "pools", "research ETH", "latest bitcoin block", a bitcoin address to check',
  '- terms: "what is slippage?"',
]

export async function* answerHelp(asking: Asking): Answer {
  yield 'I answer from price feeds, chains and your records, and say where each figure is from. Ask me for'
  yield* abilities(asking)
}

export async function* answerNotUnderstood(asking: Asking): Answer {
  yield 'I did not understand that, so I looked nothing up. I answer one clear question per message:'
  yield* abilities(asking)
}

export async function* answerOtherLanguage(asking: Asking): Answer {
  yield 'I read English only. In English, ask me for'
  yield* abilities(asking)
}

export async function* answerTerm({ question }: Asking): Answer {
  yield explain(findTerm(question.words) ?? '')
}

export async function* answerSeveral({ question }: Asking): Answer {
  const parts = question.parts.slice(0, MAX_PARTS).map((part) => `"${sentence(part, MAX_PART).replace(/\.$/, '')}"`)
  yield `I answer one question per message, and I read ${question.parts.length} in this one: ${parts.join(', ')}. Send them one by one.`
}

export async function* answerThanks(): Answer {
  yield 'You are welcome.'
}

function* abilities({ chains }: Asking): Generator<string, void, void> {
  yield* ABILITIES
  if (chains.length > 0)
    yield `Chains: ${chains.map(({ name, id }) => `${name} (${id})`).join(', ')}. I only read and simulate: I move no money, and I have no figures of other chains.`
}
