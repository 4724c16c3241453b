import { z } from 'zod'
import { EXAMPLES } from './examples.ts'
import { optional } from './fields/optional.ts'

export const DEFIDATA_TOOLS = ['tvl_get', 'token_price', 'pools_list'] as const
export type DefidataTool = (typeof DEFIDATA_TOOLS)[number]

const ChainName = z.string().min(1).max(64)

export const TvlArguments = z
  .object({
    chain: optional(ChainName).describe("Default: the platform's chain"),
    protocol: optional(z.string().min(1).max(64)).describe('Name of one protocol at the source. Default: all'),
  })
  .meta({ id: 'TvlArguments' })
export const TokenPriceArguments = z
  .object({
    symbol: z.string().min(1).max(64).describe('Symbol or address of a token'),
    chain: optional(ChainName),
  })
  .meta({ id: 'TokenPriceArguments' })
export const PoolsArguments = z
  .object({ chain: optional(ChainName), limit: optional(z.int().min(1).max(100)).describe('Default: 10') })
  .meta({ id: 'PoolsArguments' })

const DefidataCall = z.object({
  tool_name: z.string().min(1).max(64).meta({ description: 'Name from defidata/tools', example: 'token_price' }),
  arguments: optional(z.record(z.string().max(64), z.unknown())).describe('Arguments of the tool, see its input_schema'),
})
/** A call whose arguments are wrong fails alone. */
export const DefidataCallOfMany = DefidataCall.meta({ id: 'DefidataCall', example: EXAMPLES.defidata })
const argumentsOf = (tool: DefidataTool, schema: z.ZodObject, required: readonly string[]) => ({
  if: { properties: { tool_name: { const: tool } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { arguments: inPlace(schema, required.length === 0) }, required },
})
export const DefidataInvokeRequest = DefidataCall.meta({
  id: 'DefidataInvokeRequest',
  example: EXAMPLES.defidata,
  allOf: [
    argumentsOf('tvl_get', TvlArguments, []),
    argumentsOf('token_price', TokenPriceArguments, ['arguments']),
    argumentsOf('pools_list', PoolsArguments, []),
  ],
})
export type DefidataInvokeRequest = z.infer<typeof DefidataInvokeRequest>

/** Without a name, because only routes make components. */
function inPlace({ shape }: z.ZodObject, isOptional: boolean): object {
  const { $schema, ...rest } = z.toJSONSchema(z.object(shape), { io: 'input' })
  return isOptional ? { anyOf: [rest, { type: 'null' }] } : rest
}

const Amount = z.object({ address: z.string(), symbol: z.string(), amount: z.string(), usd: z.string().nullable() })
export const PoolRow = z
  .object({
    pool: z.string().describe('Address, or id at the source'),
    project: z.string(),
    chain: z.string(),
    symbol: z.string(),
    tvl_usd: z.string().nullable().describe('Null when a token has no price'),
    apy: z.string().nullable().describe('Percent; null when the source has none'),
    tokens: z.array(Amount).describe('Empty when the source has none'),
  })
  .meta({ id: 'PoolRow' })
export type PoolRow = z.infer<typeof PoolRow>

export const TvlResult = z
  .object({
    chain: z.string(),
    protocol: z.string().nullable(),
    tvl_usd: z.string(),
    complete: z.boolean().describe('False when tokens without a price are not counted'),
    pools: z.array(PoolRow),
    as_of: z.iso.datetime().nullable(),
    source: z.string(),
  })
  .meta({ id: 'TvlResult' })
export type TvlResult = z.infer<typeof TvlResult>

export const TokenPriceResult = z
  .object({
    symbol: z.string(),
    chain: z.string(),
    price_usd: z.string(),
    as_of: z.iso.datetime().nullable(),
    source: z.string(),
  })
  .meta({ id: 'TokenPriceResult' })
export type TokenPriceResult = z.infer<typeof TokenPriceResult>

export const PoolsResult = z.object({ chain: z.string(), pools: z.array(PoolRow), source: z.string() }).meta({ id: 'PoolsResult' })
export type PoolsResult = z.infer<typeof PoolsResult>

export const DefidataResult = z
  .object({ tool: z.enum(DEFIDATA_TOOLS), result: z.union([TvlResult, TokenPriceResult, PoolsResult]) })
  .meta({ id: 'DefidataResult' })
export type DefidataResult = z.infer<typeof DefidataResult>
