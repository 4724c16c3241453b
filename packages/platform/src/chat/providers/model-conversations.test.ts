import assert from 'node:assert/strict'
import { createSilentLogger } from '@keelson/runtime'
import { CALLER, createAssistantWorld, fragmentsOf } from '../../assistant/assistant-world.test-support.ts'
import { LAST_QUOTE_ID } from '../../assistant/conversation.test-support.ts'
import { CONVERSATIONS } from '../../assistant/conversations.test-support.ts'
import type { Message } from '../../schemas/chat.ts'
import type { Toolbox } from '../../tools/toolbox.ts'
import { createModelAgent } from './model-agent.ts'
import type { ModelProvider } from './model-config.ts'
import { type ModelService, openModelService, type SentRequest } from './model-service.test-support.ts'

function toolResults({ body }: SentRequest): readonly string[] {
  type Part = { type: string; text?: string; content?: string | readonly Part[] }
  const textOf = (content: Part['content']): string =>
    typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('')
  return (body.messages as { role: string; content: string | readonly Part[] | null }[]).flatMap(({ role, content }) => {
    if (role === 'tool') return [textOf(content ?? '')]
    return !Array.isArray(content)
      ? []
      : (content as readonly Part[]).filter(({ type }) => type === 'tool_result').map((part) => textOf(part.content))
  })
}

const quoteIdOf = (text: string) => /q_[0-9a-f]{32}/.exec(text)?.[0]

for (const provider of ['openai', 'anthropic'] as const satisfies readonly ModelProvider[])
  describe(`conversations with a model behind the ${provider} interface`, () => {
    let service: ModelService
    beforeEach(async () => {
      service = await openModelService(provider)
    })
    afterEach(() => service.close())

    for (const { name, given, turns } of CONVERSATIONS)
      it(name, async () => {
        const world = createAssistantWorld()
        given?.(world)
        let results: string[] = []
        const toolbox: Toolbox = {
          list: (selection) => world.toolbox.list(selection),
          async call(...args) {
            const result = await world.toolbox.call(...args)
            results.push(JSON.stringify(result))
            return result
          },
        }
        const agent = createModelAgent(
          { provider, url: service.url, model: 'm', key: null, maxOutputTokens: 1_000, retries: 0 },
          { toolbox, log: createSilentLogger() },
        )
        const messages: Message[] = []
        for (const { user, calls, says } of turns) {
          world.calls.length = 0
          results = []
          const resolved: unknown[] = []
          const steps = calls.map(({ tool, args }) => (sent: SentRequest) => {
            const quoteId = quoteIdOf(toolResults(sent).join())
            const given = Object.fromEntries(Object.entries(args).map(([key, value]) => [key, value === LAST_QUOTE_ID ? quoteId : value]))
            resolved.push({ tool, args: given, effects: ['reads'] })
            return { calls: [{ name: tool, args: given }] }
          })
          service.script = [...steps, (sent) => ({ text: ['The tools say: ', ...toolResults(sent)] })]
          messages.push({ role: 'user', content: user })
          const { signal } = new AbortController()
          const answer = (await fragmentsOf(agent.answer({ caller: CALLER, messages, signal }))).join('')
          assert.deepEqual(world.calls, resolved)
          assert.equal(world.calls.length, calls.length)
          assert.deepEqual(toolResults(service.requests.at(-1) as SentRequest), results)
          for (const text of says.filter((said) => results.some((result) => result.includes(said)))) assert.ok(answer.includes(text), text)
          messages.push({ role: 'assistant', content: answer.slice(0, 3_000) })
        }
      })
  })
