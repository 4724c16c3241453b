import type { Clock } from '@keelson/primitives'
import type { ChatAgent, ChatTurn } from '../chat/chat-agent.ts'
import type { TokenNames } from '../tools/token-names.ts'
import type { Toolbox } from '../tools/toolbox.ts'
import type { Answer, Asking, Called } from './answers/answer.ts'
import { lookupAnswer, textAnswer } from './answers/lookups.ts'
import { answerComparison, answerConfirmation, answerPrice, answerQuote, answerRisk, answerSwap } from './answers/swap.ts'
import { readQuestion } from './reading/question.ts'
import { TextReader } from './reading/text-reader.ts'

export interface AssistantDependencies {
  readonly toolbox: Toolbox
  readonly names: TokenNames
  readonly clock: Clock
}

export function createAssistant({ toolbox, names, clock }: AssistantDependencies): ChatAgent {
  const texts = new TextReader()
  return {
    name: 'deterministic',
    async *answer({ caller, messages, signal }: ChatTurn) {
      const chains = await names.all()
      const asking: Asking = {
        question: readQuestion(messages, (text) => texts.read(text, chains)),
        chains,
        nowMs: clock.nowMs(),
        async call<T>(name: string, args: Readonly<Record<string, unknown>>) {
          signal.throwIfAborted()
          const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined && value !== null))
          // no text can make the assistant call a tool that moves money
          return (await toolbox.call(name, given, { caller, signal }, ['reads'])) as Called<T>
        },
      }
      let isFirst = true
      for await (const line of textAnswer(asking) ?? lookupAnswer(asking) ?? swapAnswer(asking)) {
        if (line === '') continue
        yield isFirst ? line : `\n${line}`
        isFirst = false
      }
    },
  }
}

function swapAnswer(asking: Asking): Answer {
  const { topic } = asking.question
  if (topic === 'price') return answerPrice(asking)
  if (topic === 'compare') return answerComparison(asking)
  if (topic === 'confirm') return answerConfirmation(asking)
  if (topic === 'quote') return answerQuote(asking)
  return topic === 'risk' ? answerRisk(asking) : answerSwap(asking)
}
