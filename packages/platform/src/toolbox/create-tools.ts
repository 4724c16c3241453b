/** Every tool that agents have, in one list: what serves the assistant, a model and the tool protocol is made of it. */
import type { Chains } from '../chain/chains.ts'
import type { Research } from '../research/research.ts'
import type { BitcoinTools } from '../tools/bitcoin/bitcoin-tools.ts'
import type { DefidataTools } from '../tools/defidata/defidata-tools.ts'
import type { Pyth } from '../tools/oracle/pyth.ts'
import type { ExecutionDesk } from '../trading/execution/execution-desk.ts'
import type { QuoteDesk } from '../trading/quote/quote-desk.ts'
import type { QuoteStore } from '../trading/quote/quote-store.ts'
import type { RiskDesk } from '../trading/risk/assess.ts'
import type { DepositStatusSource, WalletDirectory } from './ports.ts'
import type { TokenNames } from './token-names.ts'
import type { AnyTool } from './tool.ts'
import { createBitcoinAgentTools } from './tools/bitcoin-tools.ts'
import { createChainTools } from './tools/chain-tools.ts'
import { createDefidataAgentTools } from './tools/defidata-tools.ts'
import { createDepositTools } from './tools/deposit-tools.ts'
import { createExecutionTools } from './tools/execution-tools.ts'
import { createOracleTools } from './tools/oracle-tools.ts'
import { createPortfolioTools, type PortfolioToolDependencies } from './tools/portfolio-tools.ts'
import { createQuoteTools } from './tools/quote-tools.ts'
import { createResearchTools } from './tools/research-tools.ts'
import { createWalletTools } from './tools/wallet-tools.ts'

/** The desks behind the endpoints: a tool goes the same way as a request. */
export interface TradingDesks {
  /** Null when no chain is configured, as the next two. */
  readonly quotes: QuoteDesk | null
  readonly risk: RiskDesk | null
  readonly quoteStore: Pick<QuoteStore, 'get'> | null
  /** Null when no wallet is configured. */
  readonly execution: Pick<ExecutionDesk, 'execute' | 'find'> | null
  readonly walletDirectory: WalletDirectory
}

/** Null: the operator gave none, and tools that need it say so when they are called. */
export interface ToolsDependencies extends PortfolioToolDependencies {
  readonly chains: Chains | null
  readonly names: TokenNames
  readonly pyth: Pyth | null
  readonly bitcoin: BitcoinTools
  readonly defidata: DefidataTools
  readonly trading: TradingDesks
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
    ...createBitcoinAgentTools(deps),
    ...createDefidataAgentTools(deps),
    ...createResearchTools(deps),
  ]
}
