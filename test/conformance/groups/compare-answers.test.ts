import assert from 'node:assert/strict'
import { compareAnswers } from './compare-answers.ts'

const LOG = { address: '0x01', topics: ['0x02'] }
const EXACTLY = false
const SHAPE_ONLY = true

describe('the comparison of recorded responses', () => {
  it('checks every element of a list when only the shape counts', () => {
    compareAnswers({ result: [LOG, LOG] }, { result: [LOG] }, SHAPE_ONLY)
    compareAnswers({ result: { transactions: ['0x1', LOG] } }, { result: { transactions: [LOG, '0x2'] } }, SHAPE_ONLY)
    const withoutTopics = { address: '0x01' }
    for (const got of [[LOG, withoutTopics], [withoutTopics, LOG], [LOG, null], []])
      assert.throws(() => compareAnswers({ result: got }, { result: [LOG] }, SHAPE_ONLY), JSON.stringify(got))
    assert.throws(() => compareAnswers({ result: [LOG] }, { result: [LOG, withoutTopics] }, SHAPE_ONLY))
  })

  it('compares error codes even when only the shape counts', () => {
    const recorded = { error: { code: 3, message: 'execution reverted', data: '0x01' } }
    compareAnswers({ error: { code: 3, message: 'reverted', data: '0x02' } }, recorded, SHAPE_ONLY)
    compareAnswers({ error: { code: 3, message: 'reverted', data: '0x01' } }, recorded, EXACTLY)
    for (const mode of [EXACTLY, SHAPE_ONLY]) {
      assert.throws(() => compareAnswers({ error: { code: -32000, message: 'execution reverted', data: '0x01' } }, recorded, mode))
      assert.throws(() => compareAnswers({ result: '0x' }, recorded, mode))
    }
    assert.throws(() => compareAnswers({ error: { code: 3, message: 'reverted', data: '0x02' } }, recorded, EXACTLY))
  })
})
