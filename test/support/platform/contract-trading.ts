import assert from 'node:assert/strict'
import { createLocalSigner } from '@keelson/client'
import { LIQUIDITY_CONTRACTS, PREDEPLOYS } from '@keelson/contracts'
import { openWallets, parseTradingConfig, type TradingConfigInput, type TradingSetup } from '@keelson/platform'
import { createPureCrypto, hexToBytes } from '@keelson/primitives'
import { Secret } from '@keelson/runtime'
import { DEV_ACCOUNTS, type DevAccount } from '../../../packages/devnet/src/genesis/devnet/dev-accounts.ts'
import { NATIVE_ADDRESS } from '../../../packages/platform/src/market/chain/native-address.ts'
import { PLATFORM_CHAIN_ID, type PlatformWorld } from '../platform-world.ts'

export const CONTRACT_WALLET = 'devnet'

export async function openContractTrading({ config }: PlatformWorld): Promise<TradingSetup> {
  const on = (address: string) => ({ chainId: PLATFORM_CHAIN_ID, address })
  const input: TradingConfigInput = {
    wallets: [
      {
        ref: CONTRACT_WALLET,
        users: '*',
        chainIds: [PLATFORM_CHAIN_ID],
        keystore: { path: 'keystore.json', passwordFile: 'password' },
        policy: {
          enabled: true,
          chainIds: [PLATFORM_CHAIN_ID],
          maxTradeUsd: 10_000,
          maxDailyUsd: 100_000,
          maxSlippageBps: 300,
          maxLossBps: 500,
          tokens: [NATIVE_ADDRESS, PREDEPLOYS.WETH, LIQUIDITY_CONTRACTS.TestDollar].map(on),
          contracts: [on(LIQUIDITY_CONTRACTS.UniswapV2Router02)],
        },
      },
    ],
    stopFile: 'no-such-file',
    limits: { confirmations: 1, walletWaitSec: 0, answerWaitSec: 0 },
  }
  const parsed = parseTradingConfig(JSON.stringify(input), 'trading.json', [config])
  const secret = new Secret(hexToBytes((DEV_ACCOUNTS[4] as DevAccount).privateKey))
  const keystore = async () => createLocalSigner(secret, createPureCrypto())
  const remote = () => assert.fail('no wallet of another machine is configured')
  return { wallets: await openWallets(parsed, { keystore, remote }), stopFile: parsed.stopFile, limits: parsed.limits }
}
