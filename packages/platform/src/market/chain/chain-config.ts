import { type Address, toAddress } from '@keelson/primitives'
import { z } from 'zod'

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'expected an address: 0x and 40 hex digits')
  .transform((text): Address => toAddress(text))
const symbol = z.string().regex(/^[A-Za-z0-9.+_-]{1,16}$/, 'expected a symbol of 1 to 16 letters, digits and . + _ -')
const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'expected a name of lower-case letters, digits and -')

export const ChainConfigSchema = z.strictObject({
  id: z.int().positive(),
  name,
  aliases: z.array(name).max(8).default([]),
  rpcUrl: z.url({ protocol: /^https?$/ }),
  timeoutMs: z.int().min(100).max(25_000).default(8_000),
  native: z.strictObject({ symbol, decimals: z.int().min(0).max(36).default(18) }),
  /** Token of the native currency in pools. */
  wrappedNative: address.nullable().default(null),
  /** Without Multicall3 each read is a call. */
  multicall: address.nullable().default(null),
  explorerUrl: z.url().nullable().default(null),
  /** `priceAs` is the base symbol of the token's feed. */
  tokens: z
    .array(z.strictObject({ address, priceAs: symbol.nullable().default(null), names: z.array(symbol).max(8).default([]) }))
    .max(64)
    .default([]),
  nativePriceAs: symbol.nullable().default(null),
  feeds: z
    .array(z.strictObject({ address, base: symbol, quote: symbol, maxAgeSec: z.int().positive().default(3_600) }))
    .max(64)
    .default([]),
  /** Maps aliases to the symbols that feeds use. */
  symbols: z.record(z.string(), symbol).default({}),
  exchange: z
    .strictObject({
      venue: name.default('uniswap-v2'),
      factory: address,
      router: address,
      feeBps: z.int().min(0).max(9_999).default(30),
      hubs: z.array(address).max(6).default([]),
    })
    .nullable()
    .default(null),
})
export type ChainConfig = z.output<typeof ChainConfigSchema>
export type FeedConfig = ChainConfig['feeds'][number]

/** The first chain is the default. */
export const ChainsConfigSchema = z
  .array(ChainConfigSchema)
  .min(1)
  .max(32)
  .superRefine((chains, context) => {
    const seen = new Set<string>()
    for (const chain of chains) {
      for (const key of [String(chain.id), chain.name, ...chain.aliases]) {
        if (seen.has(key))
          context.addIssue({ code: 'custom', message: `expected each chain to have an id and names of its own, got ${key} twice` })
        seen.add(key)
      }
      const names = chain.tokens.flatMap((token) => token.names.map((name) => name.toLowerCase()))
      const twice = names.find((name, i) => names.indexOf(name) !== i)
      if (twice !== undefined)
        context.addIssue({ code: 'custom', message: `expected each token of ${chain.name} to have names of its own, got ${twice} twice` })
    }
  })
