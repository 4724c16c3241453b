/** The balance of an address on a configured chain, valued by feeds. Without a price there is no value. */
import { toAddress, toChecksumAddress } from '@keelson/primitives'
import type { WalletBalance, WalletBalanceRequest } from '../../schemas/wallet.ts'
import { type Decimal, formatAmount, formatUsd, unitsToDecimal } from '../decimal.ts'
import { problem, succeeded, type ToolOutcome } from '../tool-outcome.ts'
import { type Chains, shownChains, unknownChain } from './chains.ts'

export interface WalletBalanceAtBlock extends WalletBalance {
  readonly block_number: number
}

/** Throws SourceError when the chain cannot be asked. */
export async function walletBalance(
  request: WalletBalanceRequest,
  chains: Pick<Chains, 'main' | 'find' | 'all'>,
): Promise<ToolOutcome<WalletBalanceAtBlock>> {
  const chain = request.chain === undefined ? chains.main : chains.find(request.chain)
  if (chain === null) return problem('not-found', unknownChain(request.chain ?? '', shownChains(chains)))
  const address = toAddress(request.address)
  const { block, nativeWei, tokens } = await chain.balances(address)
  const prices = await chain.usdPrices(block)
  const usd = (amount: bigint, decimals: number, price: Decimal | null): string | null => {
    // zero units have a value only with a price
    return price === null ? null : formatUsd(unitsToDecimal(amount, decimals).mul(price))
  }
  const { native } = chain.config
  return succeeded({
    address: toChecksumAddress(address),
    balance: formatAmount(nativeWei, native.decimals),
    balance_usd: usd(nativeWei, native.decimals, prices.native),
    chain_id: chain.config.id,
    block_number: block.number,
    tokens: tokens
      .filter(({ amount }) => amount > 0n)
      .map(({ token, amount }) => ({
        address: toChecksumAddress(token.address),
        symbol: token.symbol,
        balance: formatAmount(amount, token.decimals),
        balance_usd: usd(amount, token.decimals, prices.of(token.address)),
      })),
  })
}
