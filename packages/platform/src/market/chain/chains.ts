/** The configured chains, by id or name. */
import type { ChainDependencies } from './chain-client.ts'
import type { ChainConfig } from './chain-config.ts'
import { type ChainReader, createChainReader } from './chain-reader.ts'

export interface Chains {
  /** In the order of the configuration; the first is the default. */
  readonly all: readonly ChainReader[]
  readonly main: ChainReader
  byId(id: number): ChainReader | null
  /** Finds a chain by name, alias or id, in any case. */
  find(text: string): ChainReader | null
  close(): void
}

/** `configs` must be valid for ChainsConfigSchema. */
export function createChains(configs: readonly ChainConfig[], dependencies: ChainDependencies): Chains {
  return chainsOf(configs.map((config) => createChainReader(config, dependencies)))
}

export function chainsOf(all: readonly ChainReader[]): Chains {
  const [main] = all
  if (main === undefined) throw new RangeError('expected at least one chain')
  const byName = new Map(all.flatMap((chain) => namesOf(chain.config).map((name) => [name, chain] as const)))
  return {
    all,
    main,
    byId: (id) => all.find(({ config }) => config.id === id) ?? null,
    find: (text) => byName.get(text.trim().toLowerCase()) ?? null,
    close: () => {
      for (const chain of all) chain.close()
    },
  }
}

/** `chain mars is not configured; expected one of devnet (84532), l1 (900084)`. */
export function unknownChain(asked: string | number, known: readonly (string | number)[], purpose = ''): string {
  return `chain ${asked} is not configured${purpose}; expected one of ${known.join(', ')}`
}

/** Names for error texts. */
export function shownChains({ all }: Pick<Chains, 'all'>): readonly string[] {
  return all.map(({ config: { name, id } }) => `${name} (${id})`)
}

function namesOf({ id, name, aliases }: ChainConfig): readonly string[] {
  return [String(id), name, ...aliases]
}
