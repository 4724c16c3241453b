import { Tabs, useTab } from '../../parts/tabs.tsx'
import { useTitle } from '../../shell/use-title.ts'
import { BatchesList } from './batches-list.tsx'
import { BlocksList } from './blocks-list.tsx'
import { ContractsList } from './contracts-list.tsx'
import { GasChart } from './gas-chart.tsx'
import { PoolView } from './pool-view.tsx'
import { TokensList } from './tokens-list.tsx'
import { TransactionsList } from './transactions-list.tsx'
import './explorer.css'

const TABS = [
  { id: 'blocks', name: 'Blocks' },
  { id: 'transactions', name: 'Transactions' },
  { id: 'tokens', name: 'Tokens' },
  { id: 'contracts', name: 'Contracts' },
  { id: 'batches', name: 'Batches' },
  { id: 'pool', name: 'Pool' },
  { id: 'gas', name: 'Gas' },
]
const VIEWS: Readonly<Record<string, () => React.JSX.Element>> = {
  blocks: BlocksList,
  transactions: TransactionsList,
  tokens: TokensList,
  contracts: ContractsList,
  batches: BatchesList,
  pool: PoolView,
  gas: GasChart,
}

export function ExplorerPage() {
  const tab = useTab(TABS)
  useTitle(TABS.find(({ id }) => id === tab)?.name ?? 'Explorer')
  const View = VIEWS[tab] ?? BlocksList
  return (
    <>
      <h1>Explorer</h1>
      <Tabs tabs={TABS} chosen={tab} what="Parts of the explorer" />
      <section className="card">
        <View />
      </section>
    </>
  )
}
