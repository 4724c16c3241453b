import assert from 'node:assert/strict'
import type { ContractCase, ContractTable } from '../../support/platform/contract-case.ts'
import type { ContractWorld } from '../../support/platform/contract-world.ts'

const BASE = '/api/v1/chatbot'
const STREAM = `${BASE}/chat/stream`
const QUESTION = { messages: [{ role: 'user', content: 'What is the price of ETH?' }] }
const DONE = 'data: [DONE]\n\n'
const ATTEMPTS = 20

const asked = async (world: ContractWorld) => ({ token: (await world.newSession(world.mine.user)).session, json: QUESTION })

const clearedMeanwhile: ContractCase = async (world, ask) => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const question = await asked(world)
    let over = false
    const answering = ask({ ...question, stream: DONE }).finally(() => {
      over = true
    })
    while (!over) await world.ask(`DELETE ${BASE}/messages`, { token: question.token })
    const answer = await answering
    if (answer.status === 400) return answer
  }
  return assert.fail(`not in ${ATTEMPTS} attempts was a question still being answered when its messages were deleted`)
}

const spoken = (text: string) =>
  [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json ?? '') as { readonly role: string; readonly content: string })

export const CHAT: ContractTable = {
  [`POST ${BASE}/chat`]: {
    valid: asked,
    cases: {
      async '200 what was sent and the answer'(world, ask) {
        const answer = await ask(await asked(world))
        const [question, reply, ...more] = answer.body.messages
        assert.deepEqual([question, reply.role, more], [QUESTION.messages[0], 'assistant', []])
        assert.match(reply.content, /2,?500/)
        return answer
      },
      '400 the messages are deleted meanwhile': clearedMeanwhile,
      '422 a message too long': (_world, ask) => ask({ json: { messages: [{ role: 'user', content: 'x'.repeat(3_001) }] } }),
      '422 an empty message': (_world, ask) => ask({ json: { messages: [{ role: 'user', content: '' }] } }),
      '422 the last word is not of the user': (_world, ask) => ask({ json: { messages: [{ role: 'assistant', content: 'Hello' }] } }),
    },
  },
  [`POST ${STREAM}`]: {
    valid: asked,
    cases: {
      async '200 fragments of the answer, then [DONE]'(world, ask) {
        const answer = await ask({ ...(await asked(world)), stream: DONE })
        assert.ok(answer.text.endsWith(DONE), answer.text)
        const fragments = spoken(answer.text)
        assert.ok(fragments.length > 0 && fragments.every(({ role, content }) => role === 'assistant' && content !== ''))
        return answer
      },
      '400 the messages are deleted meanwhile': clearedMeanwhile,
      '404 an answer that is not of this session': async (world, ask) =>
        ask({ ...(await asked(world)), headers: { 'last-event-id': '999999-0' } }),
    },
  },
  [`GET ${STREAM}`]: {
    cases: {
      async '200 an answer once more, from its beginning'(world, ask) {
        const question = await asked(world)
        const { text, headers } = await world.ask(`POST ${STREAM}`, { ...question, stream: DONE })
        const turn = headers['x-chat-turn']
        const answer = await ask({ token: question.token, headers: { 'last-event-id': `${turn}-0` }, stream: DONE })
        const whole = (of: string) =>
          spoken(of)
            .map(({ content }) => content)
            .join('')
        assert.equal(whole(answer.text), whole(text))
        return answer
      },
      '404 nothing is being answered': async (world, ask) => ask({ token: (await world.newUser()).session }),
    },
  },
  [`GET ${BASE}/messages`]: {
    cases: {
      async '200 what was said'(world, ask) {
        const question = await asked(world)
        await world.ask(`POST ${BASE}/chat`, question)
        const answer = await ask({ token: question.token })
        assert.deepEqual(
          answer.body.messages.map(({ role }: { role: string }) => role),
          ['user', 'assistant'],
        )
        return answer
      },
    },
  },
  [`DELETE ${BASE}/messages`]: {},
}
