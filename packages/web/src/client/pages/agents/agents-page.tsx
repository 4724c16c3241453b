import { useAccount } from '../../data/platform/account.ts'
import { Tabs, useTab } from '../../parts/tabs.tsx'
import { useTitle } from '../../shell/use-title.ts'
import { ChainTasks } from './chain-tasks.tsx'
import { Portfolio } from './portfolio.tsx'
import { ToolList } from './tool-list.tsx'
import { VisitorPortfolio } from './visitor-portfolio.tsx'
import '../explorer/explorer.css'
import './agents.css'

const TABS = [
  { id: 'tools', name: 'Tools' },
  { id: 'portfolio', name: 'Portfolio and trades' },
  { id: 'tasks', name: 'Tasks on the chain' },
] as const

export function AgentsPage() {
  useTitle('Agents')
  const account = useAccount()
  const tab = useTab(TABS)
  return (
    <>
      <h1>Agents</h1>
      <Tabs tabs={TABS} chosen={tab} what="Parts of this page" />
      {tab === 'tools' && <ToolList account={account} />}
      {tab === 'portfolio' && (account === null ? <VisitorPortfolio /> : <Portfolio account={account} />)}
      {tab === 'tasks' && <ChainTasks />}
    </>
  )
}
