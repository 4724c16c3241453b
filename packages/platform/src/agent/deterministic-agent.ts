/**
 * The assistant that needs no model: it reads what is asked, calls the tools for it, and says what they gave and where
 * from. It calls only tools that read, whatever stands in a message, in a token's name or in a tool's answer: which tool
 * and with which arguments follows from the user's words alone.
 */
import type { Clock } from '@keelson/primitives'
import type { ChatAgent, ChatTurn } from '../chat/chat-agent.ts'
import type { TokenNames } from '../tools/token-names.ts'
import type { ToolEffect } from '../tools/tool.ts'
import type { Toolbox } from '../tools/toolbox.ts'
import type { Answer, Asking, Called, ToolResults } from './answers/asking.ts'
import { answerBlock, answerChains, answerDeposit, answerGas, answerToken, answerTokenList } from './answers/chain-answers.ts'
import {
  answerBitcoinAddress,
  answerBitcoinBlock,
  answerBitcoinTransaction,
  answerPools,
  answerResearch,
  answerTvl,
} from './answers/data-answers.ts'
import { answerHelp, answerNotUnderstood, answerOtherLanguage, answerSeveral, answerTerm, answerThanks } from './answers/help-answers.ts'
import { answerBalance, answerPnl, answerPositions, answerTrades, answerVolume, answerWallets } from './answers/portfolio-answers.ts'
import { answerPrice } from './answers/price-answer.ts'
import { answerCondition, answerDenied, answerLimitOrder, answerOtherTime, answerSend } from './answers/refusal-answers.ts'
import { answerQuote, answerRisk, answerSwap } from './answers/swap-answer.ts'
import { readQuestion } from './question.ts'
import type { Topic } from './topic.ts'

export interface DeterministicAgentDependencies {
  readonly toolbox: Toolbox
  readonly names: TokenNames
  readonly clock: Clock
}

const ONLY_READING: readonly ToolEffect[] = ['reads']

const ANSWERS: Readonly<Record<Topic, (asking: Asking) => Answer>> = {
  several: answerSeveral,
  term: answerTerm,
  help: answerHelp,
  thanks: answerThanks,
  other_language: answerOtherLanguage,
  send: answerSend,
  denied: answerDenied,
  limit_order: answerLimitOrder,
  condition: answerCondition,
  other_time: answerOtherTime,
  research: answerResearch,
  deposit: answerDeposit,
  bitcoin_transaction: answerBitcoinTransaction,
  bitcoin_address: answerBitcoinAddress,
  bitcoin_block: answerBitcoinBlock,
  pnl: answerPnl,
  volume: answerVolume,
  trades: answerTrades,
  positions: answerPositions,
  risk: answerRisk,
  gas: answerGas,
  quote: answerQuote,
  swap_tokens: answerSwap,
  trade: answerSwap,
  confirm: answerSwap,
  tvl: answerTvl,
  pools: answerPools,
  balance: answerBalance,
  wallets: answerWallets,
  price: answerPrice,
  block: answerBlock,
  tokens: answerToken,
  token_list: answerTokenList,
  chains: answerChains,
}

export function createDeterministicAgent({ toolbox, names, clock }: DeterministicAgentDependencies): ChatAgent {
  return {
    name: 'deterministic',
    async *answer({ caller, messages, signal }: ChatTurn) {
      const chains = await names.all()
      const question = readQuestion(messages, chains)
      const asking: Asking = {
        question,
        chains,
        nowMs: clock.nowMs(),
        async call<N extends keyof ToolResults>(name: N, args: Readonly<Record<string, unknown>>) {
          signal.throwIfAborted()
          const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined))
          // each tool answers in its own form, which its name stands for
          return (await toolbox.call(name, given, { caller, signal }, ONLY_READING)) as Called<ToolResults[N]>
        },
      }
      const answer = question.topic === null ? answerNotUnderstood(asking) : ANSWERS[question.topic](asking)
      let isFirst = true
      for await (const line of answer) {
        if (line === '') continue
        yield isFirst ? line : `\n${line}`
        isFirst = false
      }
    },
  }
}
