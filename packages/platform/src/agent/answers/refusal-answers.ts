/** What the assistant cannot do, said instead of an answer to something else. */
import type { Answer } from './asking.ts'

const NOTHING = 'Nothing was traded.'

export async function* answerSend(): Answer {
  yield `I cannot send, transfer, withdraw or stake anything: I read, quote and simulate swaps. ${NOTHING}`
}

export async function* answerDenied(): Answer {
  yield `You say not to, so I quote and simulate nothing. ${NOTHING} For a swap, say it without the "not".`
}

export async function* answerLimitOrder(): Answer {
  yield `I have no limit orders, nor others that wait for a price: a swap is at the price of its moment. ${NOTHING}`
  yield 'To see what it brings now, leave the price out, such as "quote 1 ETH to testUSD".'
}

export async function* answerCondition(): Answer {
  yield `I cannot wait for a condition: a swap is quoted and executed at once. ${NOTHING}`
  yield 'To see what it brings now, leave the condition out, such as "quote 1 ETH to testUSD" or "is it safe to swap 1 ETH to testUSD?".'
}

export async function* answerOtherTime(): Answer {
  yield `I know prices and quotes of now only, and do nothing later or again and again. ${NOTHING}`
  yield 'Ask for now, such as "price of ETH" or "quote 1 ETH to testUSD".'
}
