import type { Address } from '@keelson/primitives'
import type { ChainReader } from '../market/chain/chain-reader.ts'
import { isNative } from '../market/chain/native-address.ts'
import type { Decimal } from '../market/decimal.ts'

export interface MarkPrices {
  readonly chainId: number
  readonly chain: string
  of(token: string): Decimal | null
}

export async function readMarkPrices({ config, usdPrices }: Pick<ChainReader, 'config' | 'usdPrices'>): Promise<MarkPrices> {
  const prices = await usdPrices()
  const of = (token: string) => (isNative(token) ? prices.native : prices.of(token as Address))
  return { chainId: config.id, chain: config.name, of }
}
