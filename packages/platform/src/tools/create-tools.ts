/** Creates the list of tools for the assistant, models and the tool protocol. */

import type { Bitcoin } from '../market/bitcoin/bitcoin.ts'
import type { Chains } from '../market/chain/chains.ts'
import type { Defidata } from '../market/defidata/defidata.ts'
import type { Pyth } from '../market/oracle/pyth.ts'
import type { Research } from '../research/research.ts'
import type { Executor } from '../trading/execution/executor.ts'
import type { QuoteStore } from '../trading/quote/quote-store.ts'
import type { Quoter } from '../trading/quote/quoter.ts'
import type { RiskAssessor } from '../trading/risk/assess.ts'
import { createBitcoinTools } from './bitcoin-tools.ts'
import { createChainTools } from './chain-tools.ts'
import { createDefidataTools } from './defidata-tools.ts'
import { createDepositTools } from './deposit-tools.ts'
import { createExecutionTools } from './execution-tools.ts'
import { createOracleTools } from './oracle-tools.ts'
import { createPortfolioTools, type PortfolioToolDependencies } from './portfolio-tools.ts'
import type { DepositStatusSource, WalletDirectory } from './ports.ts'
import { createQuoteTools } from './quote-tools.ts'
import { createResearchTools } from './research-tools.ts'
import type { TokenNames } from './token-names.ts'
import type { AnyTool } from './tool.ts'
import { createWalletTools } from './wallet-tools.ts'

/** Tools call the same services as the endpoints. */
export interface TradingServices {
  /** Null without chains, as the next two. */
  readonly quotes: Quoter | null
  readonly risk: RiskAssessor | null
  readonly quoteStore: Pick<QuoteStore, 'get'> | null
  /** Null without wallets. */
  readonly execution: Pick<Executor, 'execute' | 'find'> | null
  readonly walletDirectory: WalletDirectory
}

/** Null for a source that is not configured; its tools say so when called. */
export interface ToolsDependencies extends PortfolioToolDependencies {
  readonly chains: Chains | null
  readonly names: TokenNames
  readonly pyth: Pyth | null
  readonly bitcoin: Bitcoin
  readonly defidata: Defidata
  readonly trading: TradingServices
  readonly deposits: DepositStatusSource | null
  readonly research: Research | null
}

export function createTools(deps: ToolsDependencies): readonly AnyTool[] {
  return [
    ...createOracleTools(deps),
    ...createChainTools(deps),
    ...createWalletTools(deps),
    ...createQuoteTools(deps),
    ...createExecutionTools(deps),
    ...createPortfolioTools(deps),
    ...createDepositTools(deps),
    ...createBitcoinTools(deps),
    ...createDefidataTools(deps),
    ...createResearchTools(deps),
  ]
}
