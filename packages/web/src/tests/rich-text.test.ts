import assert from 'node:assert/strict'
import { parseRichText } from '../client/format/rich-text.ts'

const text = (value: string) => ({ kind: 'text', text: value })

describe('the text of an answer', () => {
  it('has paragraphs, headings, lists and code', () => {
    assert.deepEqual(parseRichText('# Title\n\nOne `two` **three** *four*.\n- a\n- b\n1. c\n```json\n{"a": 1}\n\n- no list\n```\nend'), [
      { kind: 'heading', spans: [text('Title')] },
      {
        kind: 'paragraph',
        spans: [
          text('One '),
          { kind: 'code', text: 'two' },
          text(' '),
          { kind: 'strong', text: 'three' },
          text(' '),
          { kind: 'emphasis', text: 'four' },
          text('.'),
        ],
      },
      { kind: 'list', isNumbered: false, items: [[text('a')], [text('b')]] },
      { kind: 'list', isNumbered: true, items: [[text('c')]] },
      { kind: 'code', text: '{"a": 1}\n\n- no list' },
      { kind: 'paragraph', spans: [text('end')] },
    ])
  })

  it('keeps HTML, links and pictures as text', () => {
    for (const line of ['<script>alert(1)</script>', '[click](javascript:alert(1))', '![x](https://example.org/x.png)', '2 * 3 * 4'])
      assert.deepEqual(parseRichText(line), [{ kind: 'paragraph', spans: [text(line)] }])
  })

  it('shows code whose end has not arrived', () => {
    assert.deepEqual(parseRichText('```\na'), [{ kind: 'code', text: 'a' }])
  })
})
