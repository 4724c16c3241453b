import { problem, type ToolOutcome } from '../tool-outcome.ts'
import type { ChainDependencies } from './chain-client.ts'
import type { ChainConfig } from './chain-config.ts'
import { type ChainReader, createChainReader } from './chain-reader.ts'

export type Chains = ReturnType<typeof chainsOf>

export function createChains(configs: readonly ChainConfig[], dependencies: ChainDependencies): Chains {
  return chainsOf(configs.map((config) => createChainReader(config, dependencies)))
}

export function chainsOf(all: readonly ChainReader[]) {
  const [main] = all
  if (main === undefined) throw new RangeError('expected at least one chain')
  const byName = new Map(all.flatMap((chain) => [chain.config.name, ...chain.config.aliases].map((name) => [name, chain] as const)))
  const byId = (id: number): ChainReader | null => all.find(({ config }) => config.id === id) ?? null
  return {
    all,
    main,
    byId,
    /** Finds a chain by name, alias or id, or the default chain. */
    find(text: string | undefined): ToolOutcome<ChainReader> {
      const name = text?.trim().toLowerCase()
      const chain = name === undefined ? main : (byName.get(name) ?? all.find(({ config }) => String(config.id) === name))
      if (chain !== undefined) return { ok: true, value: chain }
      const known = all.map(({ config }) => `${config.name} (${config.id})`)
      return problem('not-found', unknownChain(text ?? '', known))
    },
    close() {
      for (const chain of all) chain.close()
    },
  }
}

export function unknownChain(asked: string | number, known: readonly (string | number)[], purpose = ''): string {
  return `chain ${asked} is not configured${purpose}; expected one of ${known.join(', ')}`
}

export const NO_CHAIN = problem(
  'not-configured',
  'no chain is configured: the operator names some by --chains, or a development network by --devnet',
)

export async function onChain<T>(
  chains: Pick<Chains, 'find'> | null,
  name: string | undefined,
  read: (chain: ChainReader) => Promise<ToolOutcome<T>>,
): Promise<ToolOutcome<T>> {
  const found = chains?.find(name) ?? NO_CHAIN
  return found.ok ? read(found.value) : found
}
