/** Reads the balances of an address at one block: native currency and configured tokens. */
import type { Address } from '@keelson/primitives'
import { erc20Abi } from 'viem'
import type { BlockFacts } from './blocks.ts'
import type { ChainClient } from './chain-client.ts'
import type { TokenCache, TokenFacts } from './tokens.ts'

export interface TokenBalance {
  readonly token: TokenFacts
  readonly amount: bigint
}

export interface AccountBalances {
  readonly block: BlockFacts
  readonly nativeWei: bigint
  /** Every configured token, also with a balance of zero. */
  readonly tokens: readonly TokenBalance[]
}

/** Throws SourceError. */
export async function readBalances(client: ChainClient, cache: TokenCache, of: Address, block: BlockFacts): Promise<AccountBalances> {
  const addresses = client.config.tokens.map(({ address }) => address)
  const reads = addresses.map((address) => ({ address, abi: erc20Abi, functionName: 'balanceOf', args: [of] }))
  const [nativeWei, facts, amounts] = await Promise.all([
    client.ask((viem) => viem.getBalance({ address: of, blockNumber: BigInt(block.number) })),
    cache.facts(addresses, block.number),
    client.readMany(reads, block.number),
  ])
  const tokens = facts.flatMap((token, i) => {
    const amount = amounts[i]
    return token === null || typeof amount !== 'bigint' ? [] : [{ token, amount }]
  })
  return { block, nativeWei, tokens }
}
