import type { Address } from '@keelson/primitives'
import { erc20Abi, hexToString, parseAbi } from 'viem'
import { setBounded } from './block-memo.ts'
import type { ChainClient } from './chain-client.ts'

export interface TokenFacts {
  readonly address: Address
  /** Any contract may use any symbol. */
  readonly symbol: string
  readonly decimals: number
  /** True for configured tokens; other tokens have no price. */
  readonly known: boolean
}

const MAX_TOKENS = 2_000
const MAX_DECIMALS = 77
const MAX_SYMBOL_LENGTH = 32
/** Some old tokens return their symbol as 32 bytes. */
const OLD_SYMBOL = parseAbi(['function symbol() view returns (bytes32)'])

export class TokenCache {
  readonly #client: ChainClient
  readonly #kept = new Map<Address, TokenFacts>()

  constructor(client: ChainClient) {
    this.#client = client
  }

  kept(address: Address): TokenFacts | null {
    return this.#kept.get(address) ?? null
  }

  /** Throws SourceError. */
  async facts(addresses: readonly Address[], blockNumber: number): Promise<readonly (TokenFacts | null)[]> {
    const missing = [...new Set(addresses)].filter((address) => !this.#kept.has(address))
    const reads = missing.flatMap((address) => [
      { address, abi: erc20Abi, functionName: 'decimals' },
      { address, abi: erc20Abi, functionName: 'symbol' },
      { address, abi: OLD_SYMBOL, functionName: 'symbol' },
    ])
    const answers = reads.length === 0 ? [] : await this.#client.readMany(reads, blockNumber)
    const loaded = new Map(missing.map((address, i) => [address, this.#factsOf(address, answers.slice(3 * i, 3 * i + 3))] as const))
    return addresses.map((address) => {
      const facts = this.#kept.get(address) ?? loaded.get(address) ?? null
      this.#kept.delete(address)
      if (facts !== null) setBounded(this.#kept, address, facts, MAX_TOKENS)
      return facts
    })
  }

  #factsOf(address: Address, [decimals, text, old]: readonly unknown[]): TokenFacts | null {
    if (typeof decimals !== 'number' || decimals > MAX_DECIMALS) return null
    const symbol = printable(typeof text === 'string' ? text : typeof old === 'string' ? hexToString(old as `0x${string}`) : '')
    const known = this.#client.config.tokens.some((token) => token.address === address)
    return { address, symbol: symbol === '' ? `${address.slice(0, 8)}…` : symbol, decimals, known }
  }
}

function printable(text: string): string {
  const shown = text.replace(/[^\x20-\x7e]/g, '').trim()
  return shown.slice(0, MAX_SYMBOL_LENGTH)
}
