/** Opens the data sources of the tools from the configuration. */
import { createHttpClient } from '@keelson/runtime'
import { NO_RESEARCH_SOURCES, openResearchSources, type ResearchConfig, type ResearchSources } from '../research/research-sources.ts'
import type { SearchRefresh } from '../schemas/search.ts'
import type { DepositStatusSource } from '../tools/ports.ts'
import { createDepositStatus } from './bridge/deposit-status.ts'
import type { ChainDependencies } from './chain/chain-client.ts'
import type { ChainConfig } from './chain/chain-config.ts'
import { type Chains, createChains } from './chain/chains.ts'
import type { DefidataSource } from './defidata/defidata-source.ts'
import { type LlamaConfig, openLlama } from './defidata/llama-defidata.ts'
import { createBinanceFeed } from './exchange/binance-feed.ts'
import type { MarketFeed } from './exchange/market-feed.ts'
import { createPoolFeed } from './exchange/pool-feed.ts'
import { createJsonSource, type JsonSource } from './http/json-source.ts'
import { createPyth, type Pyth, type PythConfig } from './oracle/pyth.ts'
import { createSearchRefresh, type SearchConfig } from './search/search-refresh.ts'
import type { ToolOutcome } from './tool-outcome.ts'

/** Null for a source that is not configured; its routes answer 503. */
export interface Sources {
  readonly chains: Chains | null
  readonly esplora: JsonSource | null
  readonly pyth: Pyth | null
  readonly llama: DefidataSource | null
  readonly marketFeed: MarketFeed | null
  readonly deposits: DepositStatusSource | null
  /** Throws SourceError. */
  readonly refreshSearch: ((signal: AbortSignal) => Promise<ToolOutcome<SearchRefresh>>) | null
  readonly research: ResearchSources
}

export interface SourcesConfig {
  /** Valid for ChainsConfigSchema, or empty. */
  readonly chains: readonly ChainConfig[]
  readonly esploraUrl: string | null
  readonly pyth: PythConfig | null
  readonly llama: LlamaConfig | null
  /** Websocket of an exchange; null for the pools of the first chain. */
  readonly exchangeUrl: string | null
  /** The bridge's status service. */
  readonly bridgeUrl: string | null
  readonly search: SearchConfig | null
  readonly research: ResearchConfig
}

export interface OpenedSources extends Sources {
  close(): void
}

export const NO_SOURCES: Sources = {
  ...{ chains: null, esplora: null, pyth: null, llama: null, marketFeed: null, deposits: null, refreshSearch: null },
  research: NO_RESEARCH_SOURCES,
}

/** Connects to nothing yet. */
export function openSources(config: SourcesConfig, deps: ChainDependencies): OpenedSources {
  const http = createHttpClient()
  const chains = config.chains.length === 0 ? null : createChains(config.chains, deps)
  const research = openResearchSources(config.research, deps.clock)
  const poolFeed = () => (chains === null || chains.main.config.exchange === null ? null : createPoolFeed(chains.main, deps))
  return {
    chains,
    esplora: config.esploraUrl === null ? null : createJsonSource({ name: 'Esplora', baseUrl: config.esploraUrl }, http),
    pyth:
      config.pyth === null
        ? null
        : createPyth(config.pyth, createJsonSource({ name: 'Pyth', baseUrl: config.pyth.baseUrl }, http), deps.clock),
    llama: config.llama === null ? null : openLlama(config.llama, http),
    deposits: config.bridgeUrl === null ? null : createDepositStatus(createJsonSource({ name: 'bridge', baseUrl: config.bridgeUrl }, http)),
    marketFeed: config.exchangeUrl === null ? poolFeed() : createBinanceFeed({ url: config.exchangeUrl }, deps),
    refreshSearch: config.search === null ? null : createSearchRefresh(config.search, http),
    research,
    close() {
      chains?.close()
      research.close()
      http.close()
    },
  }
}
