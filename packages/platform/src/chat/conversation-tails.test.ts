import assert from 'node:assert/strict'
import type { Message } from '../schemas/chat.ts'
import { ConversationTails } from './conversation-tails.ts'

const say = (content: string): Message => ({ role: 'user', content })

describe('remembered conversations', () => {
  it('get the answer of their newest turn only', () => {
    const tails = new ConversationTails()
    tails.set('a', 2, [say('one')])
    tails.addAnswer('a', 2, 'first')
    tails.addAnswer('a', 1, 'late')
    tails.addAnswer('b', 2, 'unknown')
    assert.deepEqual(tails.get('a'), { lastOrdinal: 2, messages: [say('one'), { role: 'assistant', content: 'first' }] })
    assert.equal(tails.get('b'), undefined)
  })

  it('take bounded memory: the oldest are forgotten, and old messages of each', () => {
    const tails = new ConversationTails(10_000)
    for (let i = 0; i < 50; i++) tails.set(`s${i}`, 1, [say('x'.repeat(1_000))])
    const kept = Array.from({ length: 50 }, (_, i) => i).filter((i) => tails.get(`s${i}`) !== undefined)
    assert.deepEqual(kept, [45, 46, 47, 48, 49])
    const long = new ConversationTails()
    long.set(
      'a',
      300,
      Array.from({ length: 300 }, (_, i) => say(String(i))),
    )
    assert.deepEqual([long.get('a')?.messages.length, long.get('a')?.messages[0]?.content], [100, '200'])
    const full = new ConversationTails(2_000)
    full.set('a', 1, [say('x'.repeat(5_000))])
    assert.equal(full.get('a'), undefined)
  })
})
