/** Encrypts the trading account's key with a public password. */
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LIQUIDITY_CONTRACTS, PREDEPLOYS } from '@keelson/contracts'
import { NATIVE_ADDRESS, type TradingConfigInput } from '@keelson/platform'
import { hexToBytes } from '@keelson/primitives'
import { Secret } from '@keelson/runtime'
import { TRADING_ACCOUNT } from '../genesis/devnet/build-devnet-genesis.ts'
import type { KeyFormats } from './key-formats.ts'

export const DEVNET_WALLET = 'devnet'
const PASSWORD = 'everybody knows this'
const { TestDollar, TestDollar18, TestBitcoin, UniswapV2Router02 } = LIQUIDITY_CONTRACTS

export function devnetTradingFile(platform: string): string {
  return join(platform, 'trading', 'trading.json')
}

export async function makeTradingWallet(
  platform: string,
  chainId: number,
  { encryptKey, writeSecretFile }: Pick<KeyFormats, 'encryptKey' | 'writeSecretFile'>,
): Promise<void> {
  const file = devnetTradingFile(platform)
  if (existsSync(file)) return
  await mkdir(join(platform, 'trading'), { recursive: true, mode: 0o700 })
  const secret = new Secret(hexToBytes(TRADING_ACCOUNT.privateKey))
  const [keystore, password] = ['keystore.json', 'password'].map((name) => join(platform, 'trading', name)) as [string, string]
  await writeSecretFile(keystore, await encryptKey(secret, PASSWORD, 'wallet of the development network'), { replace: true })
  await writeSecretFile(password, `${PASSWORD}\n`, { replace: true })
  const on = (address: string) => ({ chainId, address })
  const config: TradingConfigInput = {
    wallets: [
      {
        ref: DEVNET_WALLET,
        users: '*',
        chainIds: [chainId],
        keystore: { path: 'keystore.json', passwordFile: 'password' },
        policy: {
          enabled: true,
          chainIds: [chainId],
          tokens: [NATIVE_ADDRESS, PREDEPLOYS.WETH, TestDollar, TestDollar18, TestBitcoin].map(on),
          contracts: [on(UniswapV2Router02)],
          maxTradeUsd: 10_000,
          maxDailyUsd: 100_000,
          maxSlippageBps: 300,
          maxLossBps: 500,
        },
      },
    ],
    stopFile: 'stop-trading',
    limits: { confirmations: 1 },
  }
  await writeFile(file, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 })
}
