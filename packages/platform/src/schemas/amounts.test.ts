import assert from 'node:assert/strict'
import type { z } from 'zod'
import { InvalidRequest, type ValidationIssue } from '../http/api-error.ts'
import { readBody } from '../http/validation/request-body.ts'
import { validateParts } from '../http/validation/validate.ts'
import { EvmInput } from './evm-input.ts'
import { EXAMPLES } from './examples.ts'
import { SnapshotRequest, TradeRequest } from './portfolio.ts'

async function issueOf(schema: z.ZodType, body: string): Promise<ValidationIssue | undefined> {
  try {
    validateParts([{ name: 'body', schema, sent: await readBody(body, 'application/json', false), isText: false }])
    return undefined
  } catch (error) {
    if (error instanceof InvalidRequest) return error.issues[0]
    throw error
  }
}

describe('amounts and figures of requests', () => {
  const AMOUNTS: readonly (readonly [name: string, schema: z.ZodType, example: object, field: string])[] = [
    ['a quote', EvmInput, EXAMPLES.swap, 'amount_in'],
    ['a record', TradeRequest, EXAMPLES.trade, 'amount_in'],
    ['a record', TradeRequest, EXAMPLES.trade, 'amount_out'],
  ]
  const LIMIT = 'Value should have at most 30 digits before the point and 36 after it'
  const FORM = 'Value should be a decimal number without sign or exponent'
  for (const [what, schema, example, field] of AMOUNTS)
    it(`have one limit, which the refusal names: ${field} of ${what}`, async () => {
      for (const [amount, expected] of [
        ['9'.repeat(30), undefined],
        [`${'9'.repeat(30)}.${'9'.repeat(36)}`, undefined],
        [`1${'0'.repeat(30)}`, LIMIT],
        [`0.${'0'.repeat(36)}1`, LIMIT],
        ['9'.repeat(100_000), LIMIT],
        ['1e30', FORM],
        ['-1', FORM],
        ['+1', FORM],
        ['', FORM],
        ['0.0', 'Value should be greater than 0'],
      ] as const) {
        const issue = await issueOf(schema, JSON.stringify({ ...example, [field]: amount }))
        assert.deepEqual([issue?.msg, issue?.loc], expected === undefined ? [undefined, undefined] : [expected, ['body', field]], amount)
      }
    })

  it('are no booleans: false is not the number 0', async () => {
    const holding = { ...(EXAMPLES.snapshot.holdings[0] ?? assert.fail()) }
    for (const [schema, json, loc] of [
      ...['amount_in_usd', 'amount_out_usd', 'price_in_usd_per_unit', 'fees_usd', 'chain_id'].map(
        (field) => [TradeRequest, { ...EXAMPLES.trade, [field]: false }, ['body', field]] as const,
      ),
      ...['quantity', 'usd_value'].map(
        (field) =>
          [SnapshotRequest, { ...EXAMPLES.snapshot, holdings: [{ ...holding, [field]: false }] }, ['body', 'holdings', 0, field]] as const,
      ),
      [EvmInput, { ...EXAMPLES.swap, slippage_bps: false }, ['body', 'slippage_bps']] as const,
    ])
      assert.deepEqual((await issueOf(schema, JSON.stringify(json)))?.loc, loc)
  })

  it('are not rounded to the largest figure that the schema allows, which is 10^18 dollars', async () => {
    const body = (usd: string) =>
      JSON.stringify({ ...EXAMPLES.trade, amount_in_usd: 0 }).replace('"amount_in_usd":0', `"amount_in_usd":${usd}`)
    for (const usd of ['1000000000000000000', '1e18', '0', '0.1']) assert.equal(await issueOf(TradeRequest, body(usd)), undefined, usd)
    for (const [usd, type] of [
      ['1000000000000000001', 'less_than_equal'],
      ['1.000000000000000001e18', 'less_than_equal'],
      ['1000000000000000000.00000001', 'less_than_equal'],
      ['-1e-400', 'greater_than_equal'],
    ] as const)
      assert.equal((await issueOf(TradeRequest, body(usd)))?.type, type, usd)
  })
})
