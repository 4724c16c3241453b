import { type ChainConfig, ChainConfigSchema } from '../../market/chain/chain-config.ts'
import { NATIVE_ADDRESS } from '../../market/chain/native-address.ts'
import { CHAIN, DOLLAR, ROUTER, WRAPPED } from '../market.test-support.ts'
import type { TradingConfigInput } from './trading-config.ts'

const chain = (id: number, exchange: boolean): ChainConfig =>
  ChainConfigSchema.parse({
    id,
    name: `chain-${id}`,
    rpcUrl: 'http://127.0.0.1:1',
    native: { symbol: 'NTV' },
    ...(exchange ? { wrappedNative: WRAPPED, exchange: { factory: ROUTER, router: ROUTER } } : {}),
  })

export const CHAINS = [chain(CHAIN, true), chain(7, false)] as const

export type WalletInput = TradingConfigInput['wallets'][number]

export function walletInput(changes: Partial<WalletInput> = {}, policy: Partial<WalletInput['policy']> = {}): WalletInput {
  return {
    ref: 'main',
    users: '*',
    chainIds: [CHAIN],
    keystore: { path: 'keys/main.json', passwordFile: '/etc/password' },
    policy: {
      enabled: true,
      chainIds: [CHAIN],
      maxTradeUsd: 100.5,
      maxDailyUsd: 1_000,
      maxSlippageBps: 100,
      maxLossBps: 300,
      tokens: [DOLLAR, NATIVE_ADDRESS].map((address) => ({ chainId: CHAIN, address })),
      contracts: [{ chainId: CHAIN, address: ROUTER }],
      ...policy,
    },
    ...changes,
  }
}
