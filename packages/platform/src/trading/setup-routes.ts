import { toChecksumAddress } from '@keelson/primitives'
import { RATE_LIMITS } from '../http/rate-limits.ts'
import { type AnyRoute, defineRoute } from '../http/route.ts'
import type { ChainReader } from '../market/chain/chain-reader.ts'
import type { Chains } from '../market/chain/chains.ts'
import { NATIVE_ADDRESS } from '../market/chain/native-address.ts'
import { isOutage } from '../market/tool-answer.ts'
import { ChainList, WalletList } from '../schemas/setup.ts'
import type { WalletPolicy } from './policy/policy.ts'
import type { Wallets } from './wallets/wallets.ts'

export interface SetupRouteDependencies {
  readonly chains: Pick<Chains, 'all'> | null
  readonly wallets: Pick<Wallets, 'list'>
}

const BASE = '/api/v1/multi-agent'
const SHARED = { method: 'GET', tag: 'multi-agent', auth: 'session', limit: RATE_LIMITS.read } as const

export function createSetupRoutes({ chains, wallets }: SetupRouteDependencies): readonly AnyRoute[] {
  return [
    defineRoute({
      ...SHARED,
      path: `${BASE}/chains`,
      summary: 'The configured chains with their tokens, price feeds and exchange',
      answer: ChainList,
      handle: async () => ({ chains: await Promise.all((chains?.all ?? []).map(chainEntry)) }),
    }),
    defineRoute({
      ...SHARED,
      auth: 'session-or-none',
      path: `${BASE}/wallets`,
      summary: 'The wallets that the caller may trade with, and what each may do; without a token those that all users share',
      answer: WalletList,
      async handle({ caller }) {
        const listed = await wallets.list(caller?.userId ?? null)
        return {
          wallets: listed.map(({ walletRef, address, chainId, shared, policy }) => ({
            wallet_ref: walletRef,
            chain_id: chainId,
            address: toChecksumAddress(address),
            shared,
            limits: limitsOn(chainId, policy),
          })),
        }
      },
    }),
  ]
}

async function chainEntry({ config, knownTokens }: ChainReader): Promise<ChainList['chains'][number]> {
  const { exchange } = config
  const priced = new Set(config.tokens.filter(({ priceAs }) => priceAs !== null).map(({ address }) => address))
  const listed = await knownTokens().catch((error: unknown) => {
    if (isOutage(error)) return null
    throw error
  })
  const native = { address: toChecksumAddress(NATIVE_ADDRESS), ...config.native, native: true, priced: config.nativePriceAs !== null }
  const others = listed?.map(({ address, symbol, decimals }) => ({
    address: toChecksumAddress(address),
    symbol,
    decimals,
    native: false,
    priced: priced.has(address),
  }))
  return {
    chain_id: config.id,
    name: config.name,
    other_names: config.aliases,
    exchange: exchange && {
      venue: exchange.venue,
      fee_bps: exchange.feeBps,
      factory: toChecksumAddress(exchange.factory),
      router: toChecksumAddress(exchange.router),
    },
    price_pairs: config.feeds.map(({ base, quote }) => `${base}/${quote}`),
    tokens: others === undefined ? null : [native, ...others],
  }
}

function limitsOn(chainId: number, policy: WalletPolicy): WalletList['wallets'][number]['limits'] {
  const onChain = (list: WalletPolicy['tokens']) =>
    list.filter((entry) => entry.chainId === chainId).map(({ address }) => toChecksumAddress(address))
  return {
    enabled: policy.enabled,
    max_trade_usd: policy.maxTradeUsd.toFixed(),
    max_daily_usd: policy.maxDailyUsd.toFixed(),
    max_slippage_bps: policy.maxSlippageBps,
    max_loss_bps: policy.maxLossBps,
    tokens: onChain(policy.tokens),
    contracts: onChain(policy.contracts),
  }
}
