import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Message } from '../schemas/chat.ts'
import { MAX_CONTEXT_CHARACTERS, MAX_CONTEXT_MESSAGES, planConversation } from './conversation.ts'

const user = (content: string): Message => ({ role: 'user', content })
const assistant = (content: string): Message => ({ role: 'assistant', content })
const system = (content: string): Message => ({ role: 'system', content })
const stored = [user('one'), assistant('first'), user('two'), assistant('second')]

describe('what a request adds to a conversation', () => {
  it('is its message, after the stored ones', () => {
    assert.deepEqual(planConversation(stored, [user('three')]), { added: [user('three')], context: [...stored, user('three')] })
    assert.deepEqual(planConversation([], [user('one')]), { added: [user('one')], context: [user('one')] })
  })

  it('is only the new messages when the client sends all or the newest part', () => {
    const question = user('three')
    for (const from of [0, 1, 2, 3])
      assert.deepEqual(planConversation(stored, [...stored.slice(from), question]), { added: [question], context: [...stored, question] })
  })

  it('is nothing for a stored question without an answer', () => {
    const unanswered = [...stored, user('three')]
    assert.deepEqual(planConversation(unanswered, [user('three')]), { added: [], context: unanswered })
    assert.deepEqual(planConversation(unanswered, unanswered), { added: [], context: unanswered })
    assert.deepEqual(planConversation(stored, [user('two')]).added, [user('two')], 'that one was answered: it is asked again')
  })

  it('is only the question of another conversation, which is used for this answer', () => {
    const sent = [user('other'), assistant('told'), user('more'), user('three')]
    assert.deepEqual(planConversation(stored, sent), { added: [user('more'), user('three')], context: sent })
    assert.deepEqual(planConversation([], sent).added, sent)
  })

  it('leaves system messages out of the history, and puts them first', () => {
    const plan = planConversation(stored, [...stored, system('be brief'), user('three')])
    assert.deepEqual(plan.added, [user('three')])
    assert.deepEqual(plan.context, [system('be brief'), ...stored, user('three')])
  })

  it('shows the newest messages within its limits', () => {
    const many = Array.from({ length: 80 }, (_, i) => [user(`q${i}`), assistant(`a${i}`)]).flat()
    const { context } = planConversation(many, [user('last')])
    assert.equal(context.length, MAX_CONTEXT_MESSAGES)
    assert.deepEqual(context.slice(-2), [assistant('a79'), user('last')])
    const instructed = planConversation(many, [...Array.from({ length: 30 }, (_, i) => system(`s${i}`)), user('last')]).context
    assert.deepEqual([instructed.length, instructed[0], instructed.at(-1)], [MAX_CONTEXT_MESSAGES, system('s10'), user('last')])
    const long = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? user : assistant)('x'.repeat(3_000)))
    const size = planConversation(long, [user('last')]).context.reduce((sum, { content }) => sum + content.length, 0)
    assert.ok(size <= MAX_CONTEXT_CHARACTERS && size > MAX_CONTEXT_CHARACTERS - 3_000)
  })

  it('is the same for any part of the history that clients send', () => {
    const text = fc.stringMatching(/^[a-c]{1,2}$/)
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text, fc.nat(6)), { minLength: 1, maxLength: 8 }), (turns) => {
        let history: Message[] = []
        const expected: Message[] = []
        for (const [question, answer, shown] of turns) {
          expected.push(user(question))
          const from = Math.max(0, history.length - 2 * shown)
          const { added, context } = planConversation(history, [...history.slice(from), user(question)])
          history = [...history, ...added]
          assert.deepEqual(history, expected)
          assert.deepEqual(context, history)
          expected.push(assistant(answer))
          history = [...history, assistant(answer)]
        }
      }),
    )
  })
})
