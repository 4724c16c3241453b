import { PREDEPLOYS } from '@keelson/contracts'
import { type Address, toAddress } from '@keelson/primitives'
import { devnetChains } from '../market/chain/devnet-chains.ts'
import { type ChainNames, chainNamesOf } from '../tools/token-names.ts'

const at = (byte: string): Address => toAddress(`0x${byte.repeat(20)}`)
export const CONTRACTS = {
  TestDollar: at('d1'),
  TestDollar18: at('d2'),
  TestBitcoin: at('b1'),
  UniswapV2Factory: at('f1'),
  UniswapV2Router02: at('f2'),
  PriceFeedNativeUsd: at('e1'),
  PriceFeedBitcoinUsd: at('e2'),
  PriceFeedDollarUsd: at('e3'),
}

export const TOKEN_ADDRESS = CONTRACTS.TestDollar

export function devnetNames(): readonly ChainNames[] {
  const rpcUrl = 'http://127.0.0.1:1'
  const configs = devnetChains({ l1: { rpcUrl, chainId: 900 }, l2: { rpcUrl, chainId: 901 }, contracts: CONTRACTS }, { symbol: 'KEEL' })
  const listed = [
    { symbol: 'WETH', address: PREDEPLOYS.WETH as Address },
    { symbol: 'testUSD', address: CONTRACTS.TestDollar },
    { symbol: 'testUSD18', address: CONTRACTS.TestDollar18 },
    { symbol: 'testBTC', address: CONTRACTS.TestBitcoin },
  ]
  return configs.map((config, i) => chainNamesOf(config, i === 0 ? listed : []))
}
