import { type LoggedTrade, useTradeLog } from '../../data/platform/trade-log.ts'
import { Card } from '../../parts/card.tsx'
import { TransactionLink } from '../../parts/hashes/hash.tsx'
import { Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { Link } from '../../shell/link.tsx'

const COLUMNS = [
  { name: 'When', show: ({ atMs }: LoggedTrade) => <Ago ms={atMs} /> },
  {
    name: 'Swap',
    show: ({ what, conversationId }: LoggedTrade) => <Link href={`/chat?c=${conversationId}`}>{what}</Link>,
  },
  { name: 'State', show: ({ state, message }: LoggedTrade) => `${state}${message === '' ? '' : `: ${message}`}` },
  { name: 'Transaction', show: ({ txHash }: LoggedTrade) => (txHash === null ? '' : <TransactionLink hash={txHash} />) },
]

export function TradesCard() {
  const trades = useTradeLog()
  return (
    <Card title="Trades confirmed in this tab">
      {trades.length === 0 ? (
        <p className="empty">
          There are none. <Link href="/chat">Ask for a swap in the chat</Link>. The platform has no list of executions, only their sum and
          the positions they leave.
        </p>
      ) : (
        <Table caption="Trades confirmed in this tab" rows={trades} keyOf={({ key }) => key} columns={COLUMNS} />
      )}
    </Card>
  )
}
