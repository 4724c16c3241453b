/** ChatAgent over a model with the reading tools. When the model fails, the error names it; nothing else answers in its place. */
import type { Clock, Logger } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import { type LanguageModelUsage, type ModelMessage, stepCountIs, streamText } from 'ai'
import { SourceError } from '../../market/source-error.ts'
import type { Message } from '../../schemas/chat.ts'
import type { Toolbox } from '../../tools/toolbox.ts'
import type { ChatAgent, ChatTurn } from '../chat-agent.ts'
import { type ModelConfig, modelLabel } from './model-config.ts'
import { modelFailure } from './model-failure.ts'
import { createModelTools } from './model-tools.ts'
import { openModel } from './open-model.ts'
import { LAST_STEP, SYSTEM_PROMPT } from './system-prompt.ts'

export interface ModelAgentDependencies {
  readonly toolbox: Toolbox
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

/** Maximum requests to the model per turn; the last offers no tools. */
export const MAX_STEPS = 8

export async function createModelAgent(config: ModelConfig, deps: ModelAgentDependencies): Promise<ChatAgent> {
  const label = modelLabel(config)
  const model = await openModel(config, deps.clock)
  const tokens = deps.metrics?.counter('chat_model_tokens_total', 'Tokens of the model', ['direction'])
  const count = ({ inputTokens = 0, outputTokens = 0 }: LanguageModelUsage) => {
    tokens?.inc(inputTokens, { direction: 'in' })
    tokens?.inc(outputTokens, { direction: 'out' })
  }
  // the library prints warnings that quote the conversation
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

  return {
    name: label,
    async *answer({ caller, messages, signal }: ChatTurn) {
      const leaving = new AbortController()
      const abortSignal = AbortSignal.any([signal, leaving.signal])
      const { fullStream } = streamText({
        model,
        system: SYSTEM_PROMPT,
        messages: messages.map(modelMessage),
        tools: createModelTools(caller, abortSignal, deps),
        stopWhen: stepCountIs(MAX_STEPS),
        prepareStep: ({ stepNumber }) => (stepNumber === MAX_STEPS - 1 ? { system: `${SYSTEM_PROMPT}\n${LAST_STEP}` } : {}),
        maxOutputTokens: config.maxOutputTokens,
        maxRetries: config.retries,
        abortSignal,
        // reported by the stream; the library would print it with the conversation
        onError: () => undefined,
      })
      let hasSaid = false
      let isNewPart = false
      try {
        for await (const part of fullStream) {
          if (part.type === 'text-start') isNewPart = hasSaid
          else if (part.type === 'text-delta' && part.text !== '') {
            yield isNewPart ? `\n\n${part.text}` : part.text
            hasSaid = true
            isNewPart = false
          } else if (part.type === 'finish-step') {
            count(part.usage)
            if (part.finishReason === 'length' && hasSaid) yield ' …'
            if (part.finishReason === 'error' || part.finishReason === 'other')
              throw new SourceError(label, 'bad-answer', 'its answer broke off')
            if (part.finishReason === 'content-filter') throw new SourceError(label, 'refused', 'it does not answer this')
          } else if (part.type === 'error') throw modelFailure(label, part.error)
          else if (part.type === 'abort') throw signal.reason
        }
      } catch (error) {
        signal.throwIfAborted()
        throw modelFailure(label, error)
      } finally {
        leaving.abort()
      }
    },
  }
}

/** Only the platform writes system messages; a request's instructions become user messages. */
function modelMessage({ role, content }: Message): ModelMessage {
  if (role === 'system') return { role: 'user', content: `For the answer, the user asks beforehand:\n${content}` }
  return { role, content }
}
