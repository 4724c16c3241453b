import { type ChainToolDependencies, createChainTools } from './chain-tools.ts'
import { createMarketTools, type MarketToolDependencies } from './market-tools.ts'
import { createPortfolioTools, type PortfolioToolDependencies } from './portfolio-tools.ts'
import { createSwapTools, type SwapToolDependencies } from './swap-tools.ts'
import type { AnyTool } from './tool.ts'

export type ToolsDependencies = ChainToolDependencies & MarketToolDependencies & PortfolioToolDependencies & SwapToolDependencies

export function createTools(deps: ToolsDependencies): readonly AnyTool[] {
  return [...createChainTools(deps), ...createMarketTools(deps), ...createSwapTools(deps), ...createPortfolioTools(deps)]
}
