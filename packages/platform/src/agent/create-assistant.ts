/** The list of tools, the assistant over it, and the routes that read texts: one of each for the whole platform. */
import type { Clock } from '@keelson/primitives'
import type { ChatAgent } from '../chat/chat-agent.ts'
import type { AnyRoute } from '../http/route.ts'
import { createPortfolioMetrics } from '../portfolio/metrics.ts'
import { createPositionStore } from '../portfolio/position-store.ts'
import type { Database } from '../storage/database.ts'
import { createTools, type ToolsDependencies } from '../tools/create-tools.ts'
import { createTokenNames } from '../tools/token-names.ts'
import { createToolbox, type Toolbox } from '../tools/toolbox.ts'
import { createDeterministicAgent } from './deterministic-agent.ts'
import type { PairPriceResult, PairPrices } from './preview-amount.ts'
import { createPreviewRoutes } from './preview-routes.ts'

export interface AssistantDependencies extends Omit<ToolsDependencies, 'names' | 'positions' | 'metrics'> {
  readonly db: Database
  readonly clock: Clock
}

export interface Assistant {
  readonly toolbox: Toolbox
  /** Answers without a model. */
  readonly agent: ChatAgent
  readonly previewRoutes: readonly AnyRoute[]
}

export function openAssistant({ db, clock, ...deps }: AssistantDependencies): Assistant {
  const names = createTokenNames(deps.chains, clock)
  const own = { names, positions: createPositionStore(db), metrics: createPortfolioMetrics(db) }
  const toolbox = createToolbox(createTools({ ...deps, ...own }))
  const { quotes, risk } = deps.trading
  return {
    toolbox,
    agent: createDeterministicAgent({ toolbox, names, clock }),
    previewRoutes: createPreviewRoutes({ names, prices: pairPricesOf(toolbox), quotes, risk }),
  }
}

/** Prices through the tool that the assistant uses, so that a preview and a chat convert alike. */
export function pairPricesOf(toolbox: Toolbox): PairPrices {
  return async (pair, chain, signal) => {
    const args = chain === null ? { pair } : { pair, chain }
    const context = { caller: null, signal }
    return (await toolbox.call('oracle_price', args, context, ['reads'])) as PairPriceResult
  }
}
