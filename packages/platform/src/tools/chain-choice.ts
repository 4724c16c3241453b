/** Resolves the chain argument of a tool, and describes sources. */
import { z } from 'zod'
import type { ChainConfig } from '../market/chain/chain-config.ts'
import type { ChainReader } from '../market/chain/chain-reader.ts'
import { type Chains, shownChains, unknownChain } from '../market/chain/chains.ts'
import { problem, type ToolOutcome } from '../market/tool-outcome.ts'

export const ChainArgument = z.string().min(1).max(64).optional().describe('Name or id of a configured chain; default: the first one')

export const NO_CHAIN = problem(
  'not-configured',
  'no chain is configured: the operator names some by --chains, or a development network by --devnet',
)

/** Answers `not-configured` without chains, `not-found` for one that is not among them. */
export async function onChain<T>(
  chains: Pick<Chains, 'main' | 'find' | 'all'> | null,
  name: string | undefined,
  ask: (chain: ChainReader) => Promise<ToolOutcome<T>>,
): Promise<ToolOutcome<T>> {
  if (chains === null) return NO_CHAIN
  const chain = name === undefined ? chains.main : chains.find(name)
  if (chain !== null) return ask(chain)
  return problem('not-found', unknownChain(name ?? '', shownChains(chains)))
}

/** `chain devnet (901) at block 7`. */
export function chainSource({ config }: { readonly config: Pick<ChainConfig, 'name' | 'id'> }, blockNumber?: number): string {
  return `chain ${config.name} (${config.id})${blockNumber === undefined ? '' : ` at block ${blockNumber}`}`
}
