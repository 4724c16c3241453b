export {
  DEFAULT_CURRENCY_SYMBOL,
  type GenesisBlock,
  hasNetwork,
  KEELSON_FILE,
  type KeelsonFile,
  loadNetworkFile,
  readCurrencySymbol,
  readGenesisBlock,
  readL1ChainConfig,
  readL1ChainJson,
  readNetworkJson,
  readPublicNetwork,
  readRollupConfig,
  replacedBundleWarnings,
} from './network-files.ts'
export type { AnnouncedFork, LeftRegistry, PublicNetwork } from './public-network.ts'
