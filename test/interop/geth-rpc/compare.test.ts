import assert from 'node:assert/strict'
import { judge, type KnownDifference } from './compare.ts'
import type { Outcome } from './json-rpc.ts'

const refusal = (code: number, message: string, data?: unknown): Outcome => ({
  error: { code, message, ...(data === undefined ? {} : { data }) },
})
const of = (ours: Outcome, geth: Outcome, method = 'eth_call') => ({ request: { method, params: [] }, ours, geth })

describe('the comparison of two answers of JSON-RPC', () => {
  const SAME: readonly [what: string, ours: Outcome, geth: Outcome, method?: string][] = [
    ['results whose fields have another order', { result: { a: 1, b: [2] } }, { result: { b: [2], a: 1 } }],
    ['refusals in other words', refusal(-32602, 'not an address'), refusal(-32602, 'invalid argument 0')],
    ['ids of filters', { result: '0x1' }, { result: '0x9f' }, 'eth_newFilter'],
  ]
  const DIFFERENT: readonly [what: string, ours: Outcome, geth: Outcome, method?: string][] = [
    ['a field that one side lacks', { result: { a: 1 } }, { result: { a: 1, b: null } }],
    ['a number beside its text', { result: 1 }, { result: '1' }],
    ['null beside nothing at all', { result: null }, { result: undefined }],
    ['another code', refusal(-32602, 'x'), refusal(-32000, 'x')],
    ['other data', refusal(3, 'x', '0x01'), refusal(3, 'x', '0x')],
    ['a refusal beside a result', refusal(3, 'x'), { result: '0x' }],
    ['a list as the id of a filter', { result: [] }, { result: '0x1' }, 'eth_newFilter'],
  ]
  for (const [what, ours, geth, method] of SAME)
    it(`takes ${what} for the same`, () => assert.deepEqual(judge(of(ours, geth, method), []), { kind: 'same' }))
  for (const [what, ours, geth, method] of DIFFERENT)
    it(`reports ${what}`, () => assert.deepEqual(judge(of(ours, geth, method), []), { kind: 'unexplained' }))

  it('names the reason of a known difference, for its methods and answers only', () => {
    const known: readonly KnownDifference[] = [{ why: 'for a reason', methods: /^eth_call$/, fits: ({ ours }) => 'error' in ours }]
    assert.deepEqual(judge(of(refusal(3, 'x'), { result: '0x' }), known), { kind: 'known', why: 'for a reason' })
    assert.deepEqual(judge(of({ result: '0x' }, refusal(3, 'x')), known), { kind: 'unexplained' })
    assert.deepEqual(judge(of(refusal(3, 'x'), { result: '0x' }, 'eth_callMany'), known), { kind: 'unexplained' })
  })
})
