import { useState } from 'react'
import type { Account } from '../../data/platform/account.ts'
import { wordsOf } from '../../data/platform/ask.ts'
import { useConversations } from '../../data/platform/conversations.ts'
import { useQuery } from '../../data/use-query.ts'
import { Card } from '../../parts/card.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { fetchPortfolio, type PositionJson } from './fetch-portfolio.ts'
import { TradesCard } from './trades-card.tsx'
import { usd } from './usd.ts'
import { WalletFacts } from './wallet-facts.tsx'

const REFRESH_MS = 5_000

export function Portfolio({ account }: { readonly account: Account }) {
  const conversations = useConversations(account)
  const [trouble, setTrouble] = useState<string | null>(null)
  const session = conversations.list?.[0]
  if (session !== undefined) return <PortfolioOf token={session.token} />
  if (conversations.list === null)
    return (
      <section className="card">
        <Notice error={conversations.error} what="your portfolio" />
      </section>
    )
  const begin = () => void conversations.create().catch((error: unknown) => setTrouble(wordsOf(error)))
  return (
    <Card title="Portfolio">
      <p>The platform shows a portfolio to a conversation, and you have none yet.</p>
      <button type="button" className="button" onClick={begin}>
        Begin a conversation
      </button>
      <p role="alert" className={trouble === null ? undefined : 'notice-line'}>
        {trouble}
      </p>
    </Card>
  )
}

function PortfolioOf({ token }: { readonly token: string }) {
  const { data, error } = useQuery(`portfolio ${token}`, () => fetchPortfolio(token), REFRESH_MS)
  if (data === null)
    return (
      <section className="card">
        <Notice error={error} what="your portfolio" />
      </section>
    )
  const { positions, volumeUsd, realizedUsd, unrealizedUsd, wallets } = data
  return (
    <div className="agents-cards">
      <Card title="All trades of the account">
        <Facts>
          <Fact name="Sold in all">{usd(volumeUsd)}</Fact>
          <Fact name="Profit realised">{usd(realizedUsd)}</Fact>
          <Fact name="Profit open" hint="At the last price that was marked">
            {usd(unrealizedUsd)}
          </Fact>
        </Facts>
      </Card>
      <TradesCard />
      <Card title="Positions">
        {positions.length === 0 ? (
          <p className="empty">There are none. A trade that settles makes one.</p>
        ) : (
          <Table caption="Positions" rows={positions} keyOf={({ id }) => String(id)} columns={COLUMNS} />
        )}
      </Card>
      <Card title="Wallets that you may trade with">
        {wallets.length === 0 && <p className="empty">The operator gave you none, so trades are refused.</p>}
        {wallets.map((wallet) => (
          <WalletFacts key={`${wallet.wallet_ref} ${wallet.chain_id}`} wallet={wallet} />
        ))}
      </Card>
    </div>
  )
}

const COLUMNS = [
  { name: 'Token', show: ({ token_symbol, token_address }: PositionJson) => <span title={token_address}>{token_symbol}</span> },
  { name: 'Agent', show: ({ agent }: PositionJson) => agent },
  { name: 'Quantity', isNumber: true, show: ({ quantity }: PositionJson) => Number(quantity.toPrecision(9)) },
  { name: 'Cost of one', isNumber: true, show: ({ cost_basis_usd_per_unit }: PositionJson) => usd(cost_basis_usd_per_unit) },
  { name: 'Value', isNumber: true, show: ({ market_value_usd }: PositionJson) => usd(market_value_usd) },
  { name: 'Profit open', isNumber: true, show: ({ unrealized_pnl_usd }: PositionJson) => usd(unrealized_pnl_usd) },
  { name: 'Changed', show: ({ updated_at }: PositionJson) => <Ago ms={Date.parse(updated_at)} /> },
]
