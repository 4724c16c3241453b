import { createHttpClient } from '@keelson/runtime'
import { NO_RESEARCH_SOURCES, openResearchSources, type ResearchConfig, type ResearchSources } from '../research/research-sources.ts'
import { createDepositStatus, type ReadDepositStatus } from './bridge/deposit-status.ts'
import type { ChainDependencies } from './chain/chain-client.ts'
import type { ChainConfig } from './chain/chain-config.ts'
import { type Chains, createChains } from './chain/chains.ts'
import type { DefidataSource } from './defidata/defidata.ts'
import { type LlamaConfig, openLlama } from './defidata/llama-defidata.ts'
import { BinanceFeed } from './exchange/binance-feed.ts'
import type { MarketFeed } from './exchange/market-feed.ts'
import { PoolFeed } from './exchange/pool-feed.ts'
import { createJsonSource, type JsonSource } from './http/json-source.ts'
import { createPyth, type Pyth, type PythConfig } from './oracle/pyth.ts'
import { createSearchRefresh, type RefreshSearch, type SearchConfig } from './search/search-refresh.ts'

export interface Sources {
  readonly chains: Chains | null
  readonly esplora: JsonSource | null
  readonly pyth: Pyth | null
  readonly llama: DefidataSource | null
  readonly marketFeed: MarketFeed | null
  readonly readDepositStatus: ReadDepositStatus | null
  readonly refreshSearch: RefreshSearch | null
  readonly research: ResearchSources
}

export interface SourcesConfig {
  readonly chains: readonly ChainConfig[]
  readonly esploraUrl: string | null
  readonly pyth: PythConfig | null
  readonly llama: LlamaConfig | null
  /** If null, the first chain's pools serve as the exchange. */
  readonly exchangeUrl: string | null
  readonly bridgeUrl: string | null
  readonly search: SearchConfig | null
  readonly research: ResearchConfig
}

export const NO_SOURCES: Sources = {
  chains: null,
  esplora: null,
  pyth: null,
  llama: null,
  marketFeed: null,
  readDepositStatus: null,
  refreshSearch: null,
  research: NO_RESEARCH_SOURCES,
}

export function openSources(config: SourcesConfig, deps: ChainDependencies): Sources & { close(): void } {
  const http = createHttpClient()
  const { pyth, llama, search } = config
  const open = (name: string, baseUrl: string) => createJsonSource({ name, baseUrl }, http)
  const chains = config.chains.length === 0 ? null : createChains(config.chains, deps)
  const research = openResearchSources(config.research, deps.clock)
  const poolFeed = () => (chains === null || chains.main.config.exchange === null ? null : new PoolFeed(chains.main, deps))
  return {
    chains,
    esplora: config.esploraUrl === null ? null : open('Esplora', config.esploraUrl),
    pyth: pyth === null ? null : createPyth(pyth, open('Pyth', pyth.baseUrl), deps.clock),
    llama: llama === null ? null : openLlama(llama, http),
    readDepositStatus: config.bridgeUrl === null ? null : createDepositStatus(open('bridge', config.bridgeUrl)),
    marketFeed: config.exchangeUrl === null ? poolFeed() : new BinanceFeed(config.exchangeUrl, deps),
    refreshSearch: search === null ? null : createSearchRefresh(search, http),
    research,
    close() {
      chains?.close()
      research.close()
      http.close()
    },
  }
}
