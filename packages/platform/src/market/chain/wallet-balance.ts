import { toAddress, toChecksumAddress } from '@keelson/primitives'
import type { WalletBalance } from '../../schemas/wallet.ts'
import { type Decimal, formatAmount, formatUsd, unitsToDecimal } from '../decimal.ts'
import type { ChainReader } from './chain-reader.ts'

/** Values without a price are null. Throws SourceError. */
export async function walletBalance(chain: ChainReader, owner: string): Promise<WalletBalance & { readonly block_number: number }> {
  const address = toAddress(owner)
  const { block, nativeWei, tokens } = await chain.balances(address)
  const prices = await chain.usdPrices(block)
  const valued = (amount: bigint, decimals: number, price: Decimal | null) => ({
    balance: formatAmount(amount, decimals),
    balance_usd: price === null ? null : formatUsd(unitsToDecimal(amount, decimals).mul(price)),
  })
  return {
    address: toChecksumAddress(address),
    ...valued(nativeWei, chain.config.native.decimals, prices.native),
    chain_id: chain.config.id,
    block_number: block.number,
    tokens: tokens
      .filter(({ amount }) => amount > 0n)
      .map(({ token, amount }) => ({
        address: toChecksumAddress(token.address),
        symbol: token.symbol,
        ...valued(amount, token.decimals, prices.of(token.address)),
      })),
  }
}
