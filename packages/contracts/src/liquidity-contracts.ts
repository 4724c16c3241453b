/** Trading contracts of a development L2. Uniswap's code (GPL-3.0-or-later) stays in its npm packages. */
import { type Address, type Hex, hexToBytes, isHex } from '@keelson/primitives'
import { ContractError } from './contract-error.ts'
import { ownAddress } from './own-contracts.ts'

export const LIQUIDITY_CONTRACTS = {
  UniswapV2Factory: ownAddress(0x10),
  UniswapV2Router02: ownAddress(0x11),
  /** 6 decimals */
  TestDollar: ownAddress(0x20),
  /** 18 decimals */
  TestDollar18: ownAddress(0x21),
  /** 8 decimals */
  TestBitcoin: ownAddress(0x22),
  PriceFeedNativeUsd: ownAddress(0x30),
  PriceFeedBitcoinUsd: ownAddress(0x31),
  PriceFeedDollarUsd: ownAddress(0x32),
} as const satisfies Record<string, Address>

export const UNISWAP_BUILDS = {
  UniswapV2Factory: '@uniswap/v2-core/build/UniswapV2Factory.json',
  UniswapV2Router02: '@uniswap/v2-periphery/build/UniswapV2Router02.json',
} as const
export type UniswapContract = keyof typeof UNISWAP_BUILDS

/** Creation code. Throws ContractError `contracts/artifact`. */
export function decodeUniswapBuild(json: unknown): Uint8Array {
  const { bytecode } = (json ?? {}) as { bytecode?: unknown }
  const code = `0x${bytecode}`
  if (typeof bytecode !== 'string' || bytecode === '' || !isHex(code)) {
    throw new ContractError('contracts/artifact', 'expected a build of a contract with its bytecode as hex without 0x')
  }
  return hexToBytes(code as Hex)
}
