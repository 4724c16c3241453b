import assert from 'node:assert/strict'
import fc from 'fast-check'
import { MAX_MESSAGE_CHARACTERS } from '../schemas/chat.ts'
import { AnswerLimit } from './answer-limit.ts'

function say(fragments: readonly string[], max?: number) {
  const limit = new AnswerLimit(max)
  const out = fragments.map((fragment) => limit.push(fragment))
  return { said: [...out, limit.end()], full: limit.full }
}

describe('the length of an answer', () => {
  it('does not change a short answer', () => {
    const { said, full } = say(['Ether is ', 'at 2,500 ', 'dollars.'])
    assert.deepEqual([said, full], [['Ether is ', 'at 2,500 ', 'dollars.', ''], false])
  })

  it('allows a text that just fits', () => {
    for (const text of ['x'.repeat(MAX_MESSAGE_CHARACTERS), 'One. '.repeat(MAX_MESSAGE_CHARACTERS / 5)])
      assert.equal(say([...text]).said.join(''), text)
  })

  it('ends a longer answer at a sentence, with an ellipsis', () => {
    const sentence = 'The pool holds twelve ether and thirty thousand dollars. '
    const { said, full } = say(Array.from({ length: 100 }, () => sentence))
    const text = said.join('')
    assert.ok(full)
    assert.match(text, /thirty thousand dollars\. …$/)
    assert.ok(text.length <= MAX_MESSAGE_CHARACTERS && text.length > MAX_MESSAGE_CHARACTERS - 2 * sentence.length)
  })

  it('ends at a word, or at any character, in a text without sentences', () => {
    const words = say(['word '.repeat(900)]).said.join('')
    assert.match(words, /word …$/)
    const line = say(['x'.repeat(9_000)]).said.join('')
    assert.equal(line, `${'x'.repeat(MAX_MESSAGE_CHARACTERS - 2)} …`)
  })

  it('never splits a character, and drops invalid ones', () => {
    assert.deepEqual(say(['a\ud83d', '\ude00b', '\0c']).said, ['a', '😀b', 'c', ''])
    assert.equal(say(['a\ud83d']).said.join(''), 'a\ufffd')
  })

  it('is never exceeded, and the answer is well-formed and a prefix of the text', () => {
    const piece = fc.oneof(fc.string({ maxLength: 30 }), fc.constantFrom('Yes. ', 'no ', '\n', '😀', '\ud83d', '\ude00'))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 20, max: 600 }), (fragments, max) => {
        const { said, full } = say(fragments, max)
        const text = said.join('')
        assert.ok(text.length <= max)
        assert.ok(said.every((fragment) => encodeURIComponent(fragment).length >= 0))
        const all = say(fragments, 1_000_000).said.join('')
        if (full) assert.ok(/\s…$/.test(text) && all.startsWith(text.slice(0, -2).trimEnd()))
        else assert.equal(text, all)
      }),
    )
  })
})
