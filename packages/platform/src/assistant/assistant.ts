/** Answers chats without a model: reads the text, calls tools that read, and says what they returned. */
import type { Clock } from '@keelson/primitives'
import type { ChatAgent, ChatTurn } from '../chat/chat-agent.ts'
import type { TokenNames } from '../tools/token-names.ts'
import type { ToolEffect } from '../tools/tool.ts'
import type { Toolbox } from '../tools/toolbox.ts'
import type { Answer, Asking, Called } from './answers/asking.ts'
import { answerBalance, LOOKUPS, lookUp } from './answers/lookups.ts'
import { answerPrice, answerQuote, answerRisk, answerSwap } from './answers/swap.ts'
import { textAnswer } from './answers/texts.ts'
import { readQuestion } from './reading/question.ts'
import type { Topic } from './reading/topics.ts'

export interface AssistantDependencies {
  readonly toolbox: Toolbox
  readonly names: TokenNames
  readonly clock: Clock
}

/** No text can make the assistant call a tool that moves money. */
const ONLY_READING: readonly ToolEffect[] = ['reads']

const ANSWERS: Readonly<Partial<Record<Topic, (asking: Asking) => Answer>>> = {
  ...{ price: answerPrice, quote: answerQuote, risk: answerRisk, swap_tokens: answerSwap, trade: answerSwap, confirm: answerSwap },
  balance: answerBalance,
}

export function createAssistant({ toolbox, names, clock }: AssistantDependencies): ChatAgent {
  return {
    name: 'deterministic',
    async *answer({ caller, messages, signal }: ChatTurn) {
      const chains = await names.all()
      const asking: Asking = {
        question: readQuestion(messages, chains),
        chains,
        nowMs: clock.nowMs(),
        async call<T>(name: string, args: Readonly<Record<string, unknown>>) {
          signal.throwIfAborted()
          const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined && value !== null))
          return (await toolbox.call(name, given, { caller, signal }, ONLY_READING)) as Called<T>
        },
      }
      let isFirst = true
      for await (const line of answerLines(asking)) {
        if (line === '') continue
        yield isFirst ? line : `\n${line}`
        isFirst = false
      }
    },
  }
}

async function* answerLines(asking: Asking): Answer {
  const { topic } = asking.question
  const text = textAnswer(asking)
  const lookup = topic === null ? undefined : LOOKUPS[topic]
  if (text !== null) yield* text
  else if (lookup !== undefined) yield* lookUp(lookup, asking)
  else if (topic !== null) yield* ANSWERS[topic]?.(asking) ?? []
}
