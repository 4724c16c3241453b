/** What the assistant can do, in its own words. */
import type { Answer, Asking } from './asking.ts'

const ABILITIES = [
  '- prices: "price of ETH", "what is WETH in testUSD?"',
  '- swaps: "quote 1 ETH to testUSD", "is it safe to swap 1 ETH to testUSD?", "swap 1 ETH to testUSD" (I quote, assess and simulate; you execute, with POST /api/v1/multi-agent/execute/evm)',
  '- chains: "latest block", "block 12", "gas price", "tokens", "balance of 0x…", "status of my deposit 0x…"',
  '- your portfolio: "my positions", "my pnl", "my volume", "my wallets"',
  '- data: "tvl", "pools", "research ETH", "latest bitcoin block", a bitcoin address to check',
]

export async function* answerHelp(asking: Asking): Answer {
  yield 'I answer from price feeds, chains and your records, and say where each figure is from. Ask me for'
  yield* abilities(asking)
}

export async function* answerNotUnderstood(asking: Asking): Answer {
  yield 'I did not understand that. I can tell you of'
  yield* abilities(asking)
}

export async function* answerOtherLanguage(asking: Asking): Answer {
  yield 'I read English only. In English I can tell you of'
  yield* abilities(asking)
}

export async function* answerThanks(): Answer {
  yield 'You are welcome.'
}

function* abilities({ chains }: Asking): Generator<string, void, void> {
  yield* ABILITIES
  if (chains.length > 0)
    yield `Chains: ${chains.map(({ name, id }) => `${name} (${id})`).join(', ')}. I only read and simulate: I move no money.`
}
