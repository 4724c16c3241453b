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
  it('goes through as it comes while it is short', () => {
    const { said, full } = say(['Ether is ', 'at 2,500 ', 'dollars.'])
    assert.deepEqual([said, full], [['Ether is ', 'at 2,500 ', 'dollars.', ''], false])
  })

  it('is the whole limit when the text just fits', () => {
    for (const text of ['x'.repeat(MAX_MESSAGE_CHARACTERS), 'One. '.repeat(MAX_MESSAGE_CHARACTERS / 5)])
      assert.equal(say([...text]).said.join(''), text)
  })

  it('ends at a sentence when there is more, and says so', () => {
    const sentence = 'The pool holds twelve ether and thirty thousand dollars. '
    const { said, full } = say(Array.from({ length: 100 }, () => sentence))
    const text = said.join('')
    assert.ok(full)
    assert.match(text, /thirty thousand dollars\. …$/)
    assert.ok(text.length <= MAX_MESSAGE_CHARACTERS && text.length > MAX_MESSAGE_CHARACTERS - 2 * sentence.length)
  })

  it('ends at a word, or anywhere, in a text without sentences', () => {
    const words = say(['word '.repeat(900)]).said.join('')
    assert.match(words, /word …$/)
    const line = say(['x'.repeat(9_000)]).said.join('')
    assert.equal(line, `${'x'.repeat(MAX_MESSAGE_CHARACTERS - 2)} …`)
  })

  it('gives characters whole, and leaves out what no text may have', () => {
    assert.deepEqual(say(['a\ud83d', '\ude00b', '\0c']).said, ['a', '😀b', 'c', ''])
    assert.equal(say(['a\ud83d']).said.join(''), 'a\ufffd')
  })

  it('is never over the limit nor ill-formed, and the beginning of what was said', () => {
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
