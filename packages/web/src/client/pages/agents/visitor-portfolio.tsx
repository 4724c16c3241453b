import { ask } from '../../data/platform/ask.ts'
import type { WalletJson } from '../../data/platform/trade-types.ts'
import { useQuery } from '../../data/use-query.ts'
import { Card } from '../../parts/card.tsx'
import { LoginCard } from '../../parts/login-card.tsx'
import { Notice } from '../../parts/notice.tsx'
import { WalletFacts } from './wallet-facts.tsx'

const REFRESH_MS = 10_000

/** What a visitor without an account may see: the wallets that all users share. */
export function VisitorPortfolio() {
  const fetchShared = () => ask<{ readonly wallets: readonly WalletJson[] }>('/api/v1/multi-agent/wallets')
  const { data, error } = useQuery('shared wallets', fetchShared, REFRESH_MS)
  return (
    <div className="agents-cards">
      <Card title="Wallets that all users share" aside={<span className="muted">to look at; trades need an account</span>}>
        {data === null ? (
          <Notice error={error} what="the shared wallets" />
        ) : data.wallets.length === 0 ? (
          <p className="empty">There are none: the operator gives each account wallets of its own.</p>
        ) : (
          data.wallets.map((wallet) => <WalletFacts key={`${wallet.wallet_ref} ${wallet.chain_id}`} wallet={wallet} />)
        )}
      </Card>
      <LoginCard why="Positions and trades belong to an account of the platform." />
    </div>
  )
}
