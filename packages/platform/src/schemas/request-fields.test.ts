import assert from 'node:assert/strict'
import type { z } from 'zod'
import { type Json, readDescription } from '../../../../test/support/platform/api-description.ts'
import { describePlatform } from '../../../../test/support/platform/contract-world.ts'
import { InvalidRequest } from '../http/api-error.ts'
import { validateParts } from '../http/validation/validate.ts'
import { PoolsArguments, TokenPriceArguments, TvlArguments } from './defidata.ts'
import { EvmInput, Thresholds } from './evm-input.ts'
import { EXAMPLES } from './examples.ts'
import { SubscribeRequest } from './exchange.ts'
import { ExecutionRequest } from './execution.ts'
import { PreviewRunRequest } from './preview.ts'
import { QuoteToAssess } from './quote.ts'
import { RiskRequest } from './risk.ts'

const api = readDescription(await describePlatform())

function issuesOf(schema: z.ZodType, sent: unknown) {
  try {
    validateParts([{ name: 'body', schema, sent, isText: false }])
    return []
  } catch (error) {
    if (error instanceof InvalidRequest) return error.issues
    throw error
  }
}

/** Objects of the request bodies that are described field by field. */
function objectsIn(schema: Json, path: string): readonly (readonly [path: string, schema: Json])[] {
  const known = api.resolve(schema)
  const alternatives = ((known.anyOf ?? []) as readonly Json[]).flatMap((one) => objectsIn(one, path))
  const items = known.items === undefined ? [] : objectsIn(known.items, `${path}[]`)
  const fields = Object.entries((known.properties ?? {}) as Json)
  const inner = fields.flatMap(([name, field]) => objectsIn(field, `${path}.${name}`))
  return [...(fields.length === 0 ? [] : [[path, known] as const]), ...alternatives, ...items, ...inner]
}

describe('the fields of JSON requests', () => {
  const bodies = api.operations.filter(({ body, path }) => body?.type === 'application/json' && !path.startsWith('/mcp'))
  const objects = bodies.flatMap(({ name, body }) => objectsIn(body?.schema ?? {}, name))

  it('accept unknown fields in every object', () => {
    assert.ok(objects.length > 20, `${objects.length} objects`)
    assert.deepEqual(
      objects.filter(([, { additionalProperties = true }]) => additionalProperties === false).map(([path]) => path),
      [],
    )
  })

  it('accept null wherever a field may be absent', () => {
    const takesNull = (field: Json): boolean => {
      const { type, anyOf = [] } = api.resolve(field)
      return [type].flat().includes('null') || anyOf.some(takesNull)
    }
    const refusing = objects.flatMap(([path, { properties, required = [] }]) =>
      Object.entries(properties as Json)
        .filter(([name, field]) => !required.includes(name) && !takesNull(field))
        .map(([name]) => `${path}.${name}`),
    )
    assert.deepEqual(refusing, [])
  })

  const { thresholds: _, ...noThresholds } = EXAMPLES.previewRun as Json
  const { price_impact_bps: __, ...quote } = EXAMPLES.risk.quote as Json
  for (const [what, schema, withNull, without] of [
    ['slippage_bps', EvmInput, { ...EXAMPLES.swap, slippage_bps: null }, { ...EXAMPLES.swap, slippage_bps: undefined }],
    ['thresholds', PreviewRunRequest, { ...noThresholds, thresholds: null }, noThresholds],
    ['a threshold', Thresholds, { max_slippage_bps: null, min_liquidity_usd: 1 }, { min_liquidity_usd: 1 }],
    ['interval', SubscribeRequest, { ...EXAMPLES.subscribe, interval: null }, { ...EXAMPLES.subscribe, interval: undefined }],
    ['the price impact of a quote', QuoteToAssess, { ...quote, price_impact_bps: null }, quote],
    [
      'checks',
      RiskRequest,
      { ...EXAMPLES.risk, input: { ...EXAMPLES.risk.input, checks: null } },
      { ...EXAMPLES.risk, input: { ...EXAMPLES.risk.input, checks: undefined } },
    ],
    ['an argument of a tool', TvlArguments, { chain: null, protocol: 'x' }, { protocol: 'x' }],
    ['confirm', ExecutionRequest, { ...EXAMPLES.execution, confirm: null }, { ...EXAMPLES.execution, confirm: undefined }],
  ] as const)
    it(`mean the same with null and without ${what}`, () => {
      const parse = (sent: unknown) => JSON.stringify(validateParts([{ name: 'body', schema, sent, isText: false }]))
      assert.equal(parse(withNull), parse(without))
    })

  it('refuse null where a field is required', () => {
    for (const field of ['chain_id', 'token_in_address', 'amount_in'])
      assert.deepEqual(
        issuesOf(EvmInput, { ...EXAMPLES.swap, [field]: null }).map(({ loc }) => loc.join('.')),
        [`body.${field}`],
      )
  })

  it('that a tool of another object knows are ignored', () => {
    for (const [schema, sent] of [
      [TvlArguments, { chain_id: 1 }],
      [TokenPriceArguments, { symbol: 'ETH', currency: 'usd' }],
      [PoolsArguments, { offset: 5 }],
    ] as const)
      assert.deepEqual(issuesOf(schema, sent), [])
  })
})

describe('a misspelt field beside a trade', () => {
  const trade = { ...EXAMPLES.execution, input: { ...EXAMPLES.swap, simulate_only: false }, confirm: true }

  const MISSPELT: Readonly<Record<string, readonly string[]>> = {
    confirm: [
      'Confirm',
      'CONFIRM',
      'confrim',
      'comfirm',
      'confim',
      'conform',
      'confirmed',
      'confirmation',
      'is_confirmed',
      'cofirm',
      'ｃｏｎｆｉｒｍ',
      `confirm${'x'.repeat(100_000)}`,
    ],
    simulate_only: [
      'simulateOnly',
      'simulate-only',
      'simulate',
      'simulated',
      'simulation',
      'simulation_only',
      'only_simulate',
      'simulate_olny',
      'simualte_only',
      'smulate_only',
      'simulate only',
      'dry_run',
      'dryRun',
      'SimulateOnly',
      'stimulate_only',
    ],
    skip_risk: ['skipRisk', 'skip-risk', 'skip', 'risk', 'skip_risks', 'skip_risk_check', 'skpi_risk', 'sikp_riks', 'no_risk', 'risk_skip'],
  }
  for (const [meant, names] of Object.entries(MISSPELT))
    it(`is refused for ${meant} at every level, and the answer names it`, () => {
      for (const name of names)
        for (const value of [true, false, null]) {
          const [outside] = issuesOf(ExecutionRequest, { ...trade, [name]: value })
          assert.deepEqual([outside?.type, outside?.loc, outside?.input], ['extra_forbidden', ['body', name], value], name)
          assert.ok(outside?.msg.includes(meant), `${name}: ${outside?.msg}`)
          const [inside] = issuesOf(ExecutionRequest, { ...trade, input: { ...trade.input, [name]: value } })
          assert.deepEqual([inside?.type, inside?.loc], ['extra_forbidden', ['body', 'input', name]], name)
        }
    })

  it('is refused where the right name is at the wrong level', () => {
    for (const [sent, loc] of [
      [{ ...trade, simulate_only: true }, 'body.simulate_only'],
      [{ ...trade, input: { ...trade.input, confirm: false } }, 'body.input.confirm'],
      [{ ...trade, input: { ...trade.input, skip_risk: false } }, 'body.input.skip_risk'],
      [{ ...trade, thresholds: { skip_risk: false } }, 'body.thresholds.skip_risk'],
    ] as const)
      assert.deepEqual(
        issuesOf(ExecutionRequest, sent).map((issue) => issue.loc.join('.')),
        [loc],
      )
  })

  it('is refused for a limit of the trade', () => {
    for (const [sent, loc] of [
      [{ ...trade, treshold: {} }, 'body.treshold'],
      [{ ...trade, quoteId: 'q' }, 'body.quoteId'],
      [{ ...trade, input: { ...trade.input, slipage_bps: 1 } }, 'body.input.slipage_bps'],
      [{ ...trade, thresholds: { max_slipage_bps: 1 } }, 'body.thresholds.max_slipage_bps'],
      [{ ...trade, thresholds: { minLiquidityUsd: 1 } }, 'body.thresholds.minLiquidityUsd'],
    ] as const)
      assert.deepEqual(
        issuesOf(ExecutionRequest, sent).map((issue) => issue.loc.join('.')),
        [loc],
      )
  })

  it('is not seen in other fields, which are ignored', () => {
    const others = {
      deadline: 1,
      recipient: '0x1',
      foo: 'bar',
      agent: 'trading',
      note: '',
      metadata: {},
      no_such_field: 1,
      __proto__: 1,
      chain: 'evm',
      gas: '1',
    }
    assert.deepEqual(issuesOf(ExecutionRequest, { ...trade, ...others, input: { ...trade.input, ...others } }), [])
  })
})
