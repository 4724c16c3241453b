/**
 * What people call the chains and tokens of the configuration. A symbol means a token only where the configuration has
 * exactly one of that name: contracts may call themselves anything, so whatever is not listed there is named by address.
 */
import { type Address, type Clock, isHex, toAddress } from '@keelson/primitives'
import type { ChainReader } from '../market/chain/chain-reader.ts'
import type { Chains } from '../market/chain/chains.ts'
import { NATIVE_ADDRESS } from '../market/chain/native-address.ts'
import { canonicalSymbol } from '../market/prices/prices.ts'
import { SourceError } from '../market/source-error.ts'
import { normalizeToken } from '../trading/evm-address.ts'

export interface NamedToken {
  readonly symbol: string
  readonly address: Address
}

export interface ChainNames {
  readonly id: number
  readonly name: string
  /** Lower case: name, other names, id. */
  readonly names: readonly string[]
  /** The native currency first. */
  readonly tokens: readonly NamedToken[]
  /** Lower case, other names of tokens: to the token's own symbol. */
  readonly aliases: ReadonlyMap<string, string>
  /** What feeds price, as their base or another name of it; none of these needs to be a token. */
  readonly priced: readonly string[]
  /** False while the chain could not be asked for the symbols of its tokens. */
  readonly complete: boolean
}

export interface TokenNames {
  /** Never throws: without the chain's answer, only what the configuration says is there. */
  of(chain: ChainReader): Promise<ChainNames>
  /** Of all chains, in their order. */
  all(): Promise<readonly ChainNames[]>
}

const RETRY_AFTER_MS = 10_000

/** Symbols do not change, so they are asked for once. */
export function createTokenNames(chains: Pick<Chains, 'all'> | null, clock: Clock): TokenNames {
  const kept = new Map<ChainReader, { readonly names: Promise<ChainNames>; readonly untilMs: number }>()

  function load(chain: ChainReader): Promise<ChainNames> {
    const names = readNames(chain)
    const entry = { names, untilMs: Number.POSITIVE_INFINITY }
    kept.set(chain, entry)
    names.then(
      ({ complete }) => {
        if (!complete && kept.get(chain) === entry) kept.set(chain, { names, untilMs: clock.nowMs() + RETRY_AFTER_MS })
      },
      () => kept.delete(chain),
    )
    return names
  }
  function of(chain: ChainReader): Promise<ChainNames> {
    const known = kept.get(chain)
    return known !== undefined && clock.nowMs() < known.untilMs ? known.names : load(chain)
  }
  return { of, all: () => Promise.all((chains?.all ?? []).map(of)) }
}

async function readNames(chain: ChainReader): Promise<ChainNames> {
  const { config } = chain
  const listed = config.tokens.length === 0 ? [] : await chain.knownTokens().catch(emptyWhenAway)
  return chainNamesOf(config, listed ?? [], listed !== null && listed.length === config.tokens.length)
}

/** `listed`: tokens of the configuration with the symbols that their contracts state. */
export function chainNamesOf(config: ChainReader['config'], listed: readonly NamedToken[], complete = true): ChainNames {
  const tokens = [{ symbol: config.native.symbol, address: NATIVE_ADDRESS }, ...listed.map(({ symbol, address }) => ({ symbol, address }))]
  const taken = new Set(tokens.map(({ symbol }) => symbol.toLowerCase()))
  const words = [...Object.keys(config.symbols), ...config.feeds.flatMap(({ base, quote }) => [base, quote])]
  const aliases = new Map(configuredNames(config, tokens).filter(([name]) => !taken.has(name)))
  // what is not known yet may be a token's own name
  for (const word of complete ? words : []) {
    if (taken.has(word.toLowerCase()) || aliases.has(word.toLowerCase())) continue
    const meant = soleTokenPricedAs(config, tokens, canonicalSymbol(config, word))
    if (meant !== null) aliases.set(word.toLowerCase(), meant)
  }
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

function configuredNames(config: ChainReader['config'], tokens: readonly NamedToken[]): readonly (readonly [string, string])[] {
  return config.tokens.flatMap(({ address, names }) => {
    const symbol = symbolOf({ tokens }, address)
    return symbol === null ? [] : names.map((name) => [name.toLowerCase(), symbol] as const)
  })
}

/** Address of the token that is meant; null when none is, or more than one could be. */
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

/** The native currency goes before the token that wraps it. */
function soleTokenPricedAs(config: ChainReader['config'], tokens: readonly NamedToken[], base: string): string | null {
  if (config.nativePriceAs === base) return config.native.symbol
  const ofBase = config.tokens.filter(({ priceAs }) => priceAs === base)
  if (ofBase.length !== 1) return null
  const [{ address } = { address: toAddress(NATIVE_ADDRESS) }] = ofBase
  return tokens.find((token) => token.address === address)?.symbol ?? null
}

function emptyWhenAway(error: unknown): null {
  if (error instanceof SourceError) return null
  throw error
}
