import { PREDEPLOYS, PREINSTALLS } from '@keelson/contracts'
import { z } from 'zod'
import { type ChainConfig, ChainsConfigSchema } from './chain-config.ts'

const DevnetFacts = z.object({
  l1: z.object({ rpcUrl: z.string(), chainId: z.int() }),
  l2: z.object({ rpcUrl: z.string(), chainId: z.int() }),
  contracts: z.record(z.string(), z.string()),
  services: z.object({ web: z.string().nullable().default(null) }).default({ web: null }),
})

interface DevnetChainsOptions {
  readonly symbol: string
}

const CONTRACT_NAMES = { TestDollar: 'testUSD', TestDollar18: 'testUSD', TestBitcoin: 'BTC' }
const FEED_MAX_AGE_SEC = 180

/** L2 first, then L1 when its id differs. Throws ZodError. */
export function devnetChains(devnetJson: unknown, { symbol }: DevnetChainsOptions): readonly ChainConfig[] {
  const { l1, l2, contracts, services } = DevnetFacts.parse(devnetJson)
  const at = (name: string): string => z.string(`expected devnet.json to name the contract ${name}`).parse(contracts[name])
  const [dollar, dollar18, bitcoin] = [at('TestDollar'), at('TestDollar18'), at('TestBitcoin')]
  const feed = (name: string, base: string) => ({ address: at(name), base, quote: 'USD', maxAgeSec: FEED_MAX_AGE_SEC })
  const rollup = {
    id: l2.chainId,
    name: 'keelson-devnet',
    aliases: ['devnet', 'keelson', 'l2', 'evm'],
    rpcUrl: l2.rpcUrl,
    native: { symbol },
    wrappedNative: PREDEPLOYS.WETH,
    multicall: PREINSTALLS.MultiCall3,
    explorerUrl: services.web,
    nativePriceAs: 'NATIVE',
    tokens: [
      { address: PREDEPLOYS.WETH, priceAs: 'NATIVE' },
      { address: dollar, priceAs: 'testUSD', names: ['TestDollar'] },
      { address: dollar18, priceAs: 'testUSD', names: ['TestDollar18'] },
      { address: bitcoin, priceAs: 'BTC', names: ['TestBitcoin'] },
    ],
    feeds: [feed('PriceFeedNativeUsd', 'NATIVE'), feed('PriceFeedBitcoinUsd', 'BTC'), feed('PriceFeedDollarUsd', 'testUSD')],
    symbols: { [symbol]: 'NATIVE', ETH: 'NATIVE', WETH: 'NATIVE', testBTC: 'BTC', testUSD18: 'testUSD', ...CONTRACT_NAMES },
    exchange: { factory: at('UniswapV2Factory'), router: at('UniswapV2Router02'), hubs: [PREDEPLOYS.WETH, dollar] },
  }
  const settlement = { id: l1.chainId, name: 'keelson-devnet-l1', aliases: ['l1'], rpcUrl: l1.rpcUrl, native: { symbol: 'ETH' } }
  return ChainsConfigSchema.parse(l1.chainId === l2.chainId ? [rollup] : [rollup, settlement])
}
