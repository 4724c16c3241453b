/** Every tool that agents have, in one list: what serves the assistant, a model and the tool protocol is made of it. */

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
  /** Null when no chain is configured, as the next two. */
  readonly quotes: Quoter | null
  readonly risk: RiskAssessor | null
  readonly quoteStore: Pick<QuoteStore, 'get'> | null
  /** Null when no wallet is configured. */
  readonly execution: Pick<Executor, 'execute' | 'find'> | null
  readonly walletDirectory: WalletDirectory
}

/** Null: the operator gave none, and tools that need it say so when they are called. */
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
