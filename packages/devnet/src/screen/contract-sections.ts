const GROUPS: readonly (readonly [title: string, includes: (name: string) => boolean])[] = [
  ['Tokens and prices on L2', (name) => /^(Test|PriceFeed)/.test(name)],
  ['Exchange on L2', (name) => /^(Uniswap|Pair)/.test(name)],
  ['Contracts on L2', (name) => /^(Agents|Tasks|Staking)$/.test(name)],
  ['Contracts on L1', () => true],
]
const UNSEEN: ReadonlySet<string> = new Set([
  'AddressManager',
  'ProxyAdmin',
  'SuperchainConfig',
  'L1CrossDomainMessenger',
  'L1ERC721Bridge',
  'OptimismMintableERC20Factory',
])

export interface ContractSection {
  readonly title: string
  readonly rows: readonly (readonly [name: string, address: string])[]
}

export function contractSections(contracts: Readonly<Record<string, string>>): readonly ContractSection[] {
  const sections = GROUPS.map(([title]) => ({ title, rows: [] as (readonly [string, string])[] }))
  for (const [name, address] of Object.entries(contracts)) {
    if (UNSEEN.has(name)) continue
    sections[GROUPS.findIndex(([, includes]) => includes(name))]?.rows.push([name, address])
  }
  return sections.filter(({ rows }) => rows.length > 0).reverse()
}
