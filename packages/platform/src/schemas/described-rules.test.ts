/** Rules that hold between fields, or need more than a type: the description says what the server does. */
import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { z } from 'zod'
import { registration } from './auth.ts'
import { DecodeTxRequest } from './bitcoin.ts'
import { DefidataInvokeRequest } from './defidata.ts'
import { PositiveDecimalText } from './evm-input.ts'
import { EXAMPLES } from './examples.ts'
import { ExecutionRequest } from './execution.ts'
import { Instant } from './instant.ts'
import { OraclePriceRequest } from './oracle.ts'

const ajv = new Ajv2020({ strict: false, formats: { 'evm-address': true } })
;(formats as unknown as { default: (to: Ajv2020) => void }).default(ajv)

const password = EXAMPLES.registration.password
const mail = (email: string) => ({ email, password })
const ofMode = (confirm: boolean | null | undefined, simulate_only: boolean | undefined) => ({
  ...EXAMPLES.execution,
  confirm,
  input: { ...EXAMPLES.swap, simulate_only },
})

interface Rule {
  readonly what: string
  readonly schema: z.ZodType
  readonly fits: readonly unknown[]
  readonly breaks: readonly unknown[]
  /** The server refuses these with 400 after the fields are validated. */
  readonly later?: true
}

const RULES: readonly Rule[] = [
  {
    what: 'an amount is above 0',
    schema: PositiveDecimalText,
    fits: ['1', '0.1', '007', '0.0000000001', '10', `${'0'.repeat(29)}1`],
    breaks: ['0', '0.0', '000', '1'.repeat(31), `0.${'1'.repeat(37)}`, '-1', '1e3', '', '.1', '1.'],
  },
  {
    what: 'an email address has a local part of 64 and labels of 63 characters (RFC 5321, RFC 1035)',
    schema: registration,
    fits: ['ann@example.org', "o'hara@example.org", `${'a'.repeat(64)}@example.org`, `a@${'b'.repeat(63)}.org`, 'a.b+c_d-e@x.co'].map(mail),
    breaks: [
      ...[`${'a'.repeat(65)}@example.org`, `a@${'b'.repeat(64)}.org`, 'a@-b.org', 'a@b-.org', 'a@b', '.a@b.org', 'a..b@c.org', 'a.@b.org'],
      ...['@b.org', 'a@', 'a@b@c.org', 'a b@c.org'],
    ].map(mail),
  },
  {
    what: 'an execution trades or simulates',
    schema: ExecutionRequest,
    fits: [ofMode(true, false), ofMode(false, true), ofMode(null, true), ofMode(undefined, true)],
    breaks: [ofMode(true, true), ofMode(true, undefined), ofMode(false, false), ofMode(false, undefined), ofMode(null, false)],
    later: true,
  },
  {
    what: 'arguments are those of the tool',
    schema: DefidataInvokeRequest,
    fits: [
      { tool_name: 'token_price', arguments: { symbol: 'ETH' } },
      { tool_name: 'tvl_get' },
      { tool_name: 'pools_list', arguments: null },
      { tool_name: 'another', arguments: { any: 1 } },
    ],
    breaks: [
      { tool_name: 'token_price' },
      { tool_name: 'token_price', arguments: null },
      { tool_name: 'token_price', arguments: { symbol: '' } },
      { tool_name: 'pools_list', arguments: { limit: 101 } },
      { tool_name: 'tvl_get', arguments: { chain: 7 } },
    ],
    later: true,
  },
  {
    what: 'a pair has two names',
    schema: OraclePriceRequest,
    fits: ['ETH/USD', 'w.ETH/US-D'].map((pair) => ({ chain: 'devnet', pair })),
    breaks: ['ETHUSD', 'ETH/', '/USD', 'A/B/C', 'E TH/USD'].map((pair) => ({ chain: 'devnet', pair })),
    later: true,
  },
  {
    what: 'a transaction is hex digits, two a byte',
    schema: DecodeTxRequest,
    fits: ['00', '0xAb'].map((raw_tx) => ({ raw_tx })),
    breaks: ['0', 'xyz', '0x', '0x0'].map((raw_tx) => ({ raw_tx })),
    later: true,
  },
  {
    what: 'a time is of the calendar or a number of seconds',
    schema: Instant,
    fits: [
      '2026-01-31',
      '2024-02-29',
      '2026-01-31T12:00:00.1234567890Z',
      '2026-01-31 12:00',
      '2026-04-30T23:59+0200',
      '0',
      '-1.5',
      '1700000000000',
    ],
    breaks: ['', 'now', '2026-02-30', '2025-02-29', '2026-13-01', '2026-04-31', '2026-01-31T24:00', '1e9', '--1'],
  },
]

describe('rules in the description of requests', () => {
  for (const { what, schema, fits, breaks, later } of RULES)
    it(`say that ${what}`, () => {
      const { $schema, ...described } = z.toJSONSchema(schema, { io: 'input' })
      const isDescribed = ajv.compile(described)
      for (const [values, expected] of [[fits, true] as const, [breaks, false] as const])
        for (const value of values) {
          const sent = JSON.parse(JSON.stringify(value))
          assert.equal(isDescribed(sent), expected, `the description, for ${JSON.stringify(sent)}`)
          if (expected || later === undefined)
            assert.equal(schema.safeParse(sent).success, expected, `the server, for ${JSON.stringify(sent)}`)
        }
    })
})
