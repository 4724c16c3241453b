/** Reads and caches symbol and decimals of tokens, which do not change. EIP-20 */
import type { Address } from '@keelson/primitives'
import { erc20Abi, hexToString, parseAbi } from 'viem'
import type { ChainClient } from './chain-client.ts'

export interface TokenFacts {
  readonly address: Address
  /** The contract's own symbol, cut to printable characters. Any contract may use any symbol. */
  readonly symbol: string
  readonly decimals: number
  /** True for configured tokens; only those have a price. */
  readonly known: boolean
}

export interface TokenCache {
  /** Null for a token that is not cached. */
  kept(address: Address): TokenFacts | null
  /** In the order of the addresses; null where there is no token. Throws SourceError. */
  facts(addresses: readonly Address[], blockNumber: number): Promise<readonly (TokenFacts | null)[]>
}

const MAX_TOKENS = 2_000
const MAX_DECIMALS = 77
const MAX_SYMBOL_LENGTH = 32
/** Some old tokens return their symbol as 32 bytes. */
const OLD_SYMBOL = parseAbi(['function symbol() view returns (bytes32)'])

export function createTokenCache(client: ChainClient): TokenCache {
  const kept = new Map<Address, TokenFacts>()
  const known = new Set(client.config.tokens.map(({ address }) => address))

  function keep(facts: TokenFacts): void {
    kept.delete(facts.address)
    kept.set(facts.address, facts)
    if (kept.size > MAX_TOKENS) kept.delete(kept.keys().next().value as Address)
  }

  async function load(addresses: readonly Address[], blockNumber: number): Promise<void> {
    const reads = addresses.flatMap((address) => [
      { address, abi: erc20Abi, functionName: 'decimals' },
      { address, abi: erc20Abi, functionName: 'symbol' },
      { address, abi: OLD_SYMBOL, functionName: 'symbol' },
    ])
    const answers = await client.readMany(reads, blockNumber)
    addresses.forEach((address, i) => {
      const [decimals, text, old] = answers.slice(3 * i, 3 * i + 3)
      if (typeof decimals !== 'number' || decimals > MAX_DECIMALS) return
      const symbol = printable(typeof text === 'string' ? text : typeof old === 'string' ? hexToString(old as `0x${string}`) : '')
      keep({ address, symbol: symbol === '' ? `${address.slice(0, 8)}…` : symbol, decimals, known: known.has(address) })
    })
  }

  return {
    kept: (address) => kept.get(address) ?? null,
    async facts(addresses, blockNumber) {
      const missing = [...new Set(addresses)].filter((address) => !kept.has(address))
      if (missing.length > 0) await load(missing, blockNumber)
      return addresses.map((address) => {
        const facts = kept.get(address) ?? null
        if (facts !== null) keep(facts)
        return facts
      })
    },
  }
}

function printable(text: string): string {
  return text
    .replace(/[^\x20-\x7e]/g, '')
    .trim()
    .slice(0, MAX_SYMBOL_LENGTH)
}
