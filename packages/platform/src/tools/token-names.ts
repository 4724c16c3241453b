/** Any contract may use any symbol, so a symbol names a token only if exactly one configured token has it. */
import { type Address, type Clock, isHex } from '@keelson/primitives'
import type { ChainConfig } from '../market/chain/chain-config.ts'
import type { ChainReader } from '../market/chain/chain-reader.ts'
import type { Chains } from '../market/chain/chains.ts'
import { NATIVE_ADDRESS } from '../market/chain/native-address.ts'
import { canonicalSymbol } from '../market/prices/prices.ts'
import { SourceError } from '../market/source-error.ts'
import { problem, succeeded, type ToolOutcome } from '../market/tool-outcome.ts'
import { normalizeToken } from '../trading/evm-address.ts'

export interface NamedToken {
  readonly symbol: string
  readonly address: Address
}

export type ChainNames = ReturnType<typeof chainNamesOf>
export type TokenNames = ReturnType<typeof createTokenNames>

const RETRY_AFTER_MS = 10_000

export function createTokenNames(chains: Pick<Chains, 'all'> | null, clock: Clock) {
  const kept = new Map<ChainReader, { readonly names: Promise<ChainNames>; untilMs: number }>()

  /** Uses the configuration's names while the chain does not respond. */
  function of(chain: ChainReader): Promise<ChainNames> {
    const known = kept.get(chain)
    if (known !== undefined && clock.nowMs() < known.untilMs) return known.names
    const entry = { names: readNames(chain), untilMs: Number.POSITIVE_INFINITY }
    kept.set(chain, entry)
    entry.names.then(
      ({ complete }) => {
        if (!complete) entry.untilMs = clock.nowMs() + RETRY_AFTER_MS
      },
      () => kept.delete(chain),
    )
    return entry.names
  }

  return {
    of,
    all: () => Promise.all((chains?.all ?? []).map(of)),
    /** Throws SourceError for an unknown symbol while the chain does not respond. */
    async find(chain: ChainReader, text: string): Promise<ToolOutcome<Address>> {
      const names = await of(chain)
      const address = findToken(names, text)
      if (address !== null) return succeeded(address)
      if (!names.complete)
        throw new SourceError(chain.label, 'unreachable', `the symbols of its tokens could not be read, so ${text} is unknown`)
      const listed = names.tokens.map(({ symbol }) => symbol).join(', ')
      return problem(
        'not-found',
        `no configured token of ${names.name} is called ${text}; there are ${listed}, others are named by address`,
      )
    },
  }
}

async function readNames(chain: ChainReader): Promise<ChainNames> {
  const { config } = chain
  const listed = await (config.tokens.length === 0 ? [] : chain.knownTokens().catch(nullWhenAway))
  return chainNamesOf(config, listed ?? [], listed !== null && listed.length === config.tokens.length)
}

/** `listed` are the configured tokens that the chain returned; `complete` means all of them. */
export function chainNamesOf(config: ChainConfig, listed: readonly NamedToken[], complete = true) {
  const native: NamedToken = { symbol: config.native.symbol, address: NATIVE_ADDRESS }
  const tokens = [native, ...listed.map(({ symbol, address }) => ({ symbol, address }))]
  const taken = new Set(tokens.map(({ symbol }) => symbol.toLowerCase()))
  const words = [...Object.keys(config.symbols), ...config.feeds.flatMap(({ base, quote }) => [base, quote])]
  const aliases = new Map<string, string>()
  const add = (name: string, symbol: string | null) => {
    const key = name.toLowerCase()
    if (symbol !== null && !taken.has(key) && !aliases.has(key)) aliases.set(key, symbol)
  }
  for (const { address, names } of config.tokens) for (const name of names) add(name, symbolOf({ tokens }, address))
  // only with all tokens, because a word may be a missing token's symbol
  for (const word of complete ? words : []) add(word, soleTokenPricedAs(config, tokens, canonicalSymbol(config, word)))
  return {
    id: config.id,
    name: config.name,
    names: [config.name, ...config.aliases, String(config.id)],
    tokens,
    aliases,
    priced: [...new Set(words)],
    complete,
  }
}

/** Null for an unknown or ambiguous name. */
export function findToken({ tokens, aliases }: Pick<ChainNames, 'tokens' | 'aliases'>, text: string): Address | null {
  const wanted = text.trim().toLowerCase()
  if (isHex(wanted, 20)) return normalizeToken(wanted)
  const symbol = (aliases.get(wanted) ?? wanted).toLowerCase()
  const [first, ...others] = tokens.filter((token) => token.symbol.toLowerCase() === symbol)
  return first === undefined || others.length > 0 ? null : first.address
}

export function symbolOf({ tokens }: Pick<ChainNames, 'tokens'>, address: string): string | null {
  return tokens.find((token) => token.address === address.toLowerCase())?.symbol ?? null
}

function soleTokenPricedAs(config: ChainConfig, tokens: NamedToken[], base: string): string | null {
  if (config.nativePriceAs === base) return config.native.symbol
  const [first, ...others] = config.tokens.filter(({ priceAs }) => priceAs === base)
  return first === undefined || others.length > 0 ? null : symbolOf({ tokens }, first.address)
}

function nullWhenAway(error: unknown): null {
  if (error instanceof SourceError) return null
  throw error
}
