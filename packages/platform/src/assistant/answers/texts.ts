/** Answers that need no tool. */
import type { Topic } from '../reading/topics.ts'
import { type Asking, sentence } from './asking.ts'

const NOTHING = 'Nothing was traded.'
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
const TEXTS: Readonly<Partial<Record<Topic, readonly string[]>>> = {
  help: ['I answer from price feeds, chains and your records, and say where each figure is from. Ask me for', ...ABILITIES],
  thanks: ['You are welcome.'],
  send: [`I cannot send, transfer, withdraw or stake anything: I read, quote and simulate swaps. ${NOTHING}`],
  denied: [`You say not to, so I quote and simulate nothing. ${NOTHING} For a swap, say it without the "not".`],
  limit_order: [
    `I have no limit orders, nor others that wait for a price: a swap is at the price of its moment. ${NOTHING}`,
    'To see what it brings now, leave the price out, such as "quote 1 ETH to testUSD".',
  ],
  condition: [
    `I cannot wait for a condition: a swap is quoted and executed at once. ${NOTHING}`,
    'To see what it brings now, leave the condition out, such as "quote 1 ETH to testUSD".',
  ],
  other_time: [
    `I know prices and quotes of now only, and do nothing later or repeatedly. ${NOTHING}`,
    'Ask for now, such as "price of ETH" or "quote 1 ETH to testUSD".',
  ],
}
const NOT_UNDERSTOOD = 'I did not understand that, so I looked nothing up. I read English only, and answer one clear question per message:'

/** Null for a topic that needs a tool. */
export function textAnswer({ question: { topic, term, parts }, chains }: Asking): readonly string[] | null {
  if (topic === 'term') return [term ?? '']
  if (topic === 'several') {
    const shown = parts.slice(0, MAX_PARTS).map((part) => `"${sentence(part, MAX_PART).replace(/\.$/, '')}"`)
    return [`I answer one question per message, and I read ${parts.length} in this one: ${shown.join(', ')}. Send them one by one.`]
  }
  if (topic !== null && topic !== 'help') return TEXTS[topic] ?? null
  const names = chains.map(({ name, id }) => `${name} (${id})`).join(', ')
  const limits = `Chains: ${names === '' ? 'none' : names}. I only read and simulate: I move no money, and I have no figures of other chains.`
  return [...(topic === null ? [NOT_UNDERSTOOD, ...ABILITIES] : (TEXTS.help ?? [])), limits]
}
