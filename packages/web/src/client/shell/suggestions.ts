/** What the search field proposes: contracts of this network by name, tokens by symbol. */
import type { TokenName } from '../data/index-types.ts'
import { isAddress, isHash, isHeight, shortHex } from '../format/hex.ts'

export interface Suggestion {
  /** What the field then holds. */
  readonly value: string
  readonly label: string
  readonly path: string
}

/** Anybody may take any symbol: one that several tokens or a contract of the network have is proposed by the address. */
export function suggestionsOf(contracts: Readonly<Record<string, string>>, tokens: readonly TokenName[]): readonly Suggestion[] {
  const named = Object.entries(contracts).map(([name, address]) => ({ value: name, label: name, path: `/address/${address}` }))
  const taken = (symbol: string) =>
    named.some(({ value }) => isSame(value, symbol)) || tokens.filter((token) => isSame(token.symbol ?? '', symbol)).length > 1
  const held = tokens.map(({ address, symbol, name, kind }) => {
    const isUnique = symbol !== null && symbol !== '' && !taken(symbol) && !isHeight(symbol) && !isAddress(symbol) && !isHash(symbol)
    // Some browsers show the label alone.
    const words = [symbol ?? '', name ?? '', `${kind} token`, shortHex(address)]
    return { value: isUnique ? symbol : address, label: words.filter((word) => word !== '').join(', '), path: `/token/${address}` }
  })
  return [...named, ...held]
}

/** Where a typed text leads. Heights, addresses and what was proposed lead to their page at once; everything else is searched for. */
export function searchPath(text: string, suggestions: readonly Suggestion[]): string {
  const chosen = suggestions.find(({ value }) => value === text) ?? suggestions.find(({ value }) => isSame(value, text))
  if (chosen !== undefined) return chosen.path
  const height = text.replace(/[,\s#]/g, '')
  if (isHeight(height)) return `/block/${height}`
  if (isAddress(text)) return `/address/${text}`
  return isHash(text) ? `/find/${text}` : `/search?q=${encodeURIComponent(text)}`
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
