import { useConfig } from '../../data/config.ts'
import type { IndexedTransaction, Listed } from '../../data/index-types.ts'
import { isL1Info } from '../../data/transaction-kind.ts'
import { useIndex } from '../../data/use-index.ts'
import { formatNative } from '../../format/amounts.ts'
import { Card } from '../../parts/card.tsx'
import { AddressLink, TransactionLink } from '../../parts/hash.tsx'
import { Notice } from '../../parts/notice.tsx'
import { ResultBadge } from '../../parts/status-badge.tsx'
import { Ago } from '../../parts/time.tsx'

const REFRESH_MS = 2_000
const SHOWN = 8

export function LatestTransactions() {
  const { l2 } = useConfig()
  const { data, error } = useIndex<Listed<IndexedTransaction>>('/transactions?limit=50', REFRESH_MS)
  const fromUsers = data?.items.filter((transaction) => !isL1Info(transaction)).slice(0, SHOWN)
  return (
    <Card title="Latest transactions">
      {fromUsers === undefined ? (
        <Notice error={error} what="the latest transactions" />
      ) : fromUsers.length === 0 ? (
        <p className="empty">The newest blocks hold no transaction of a user, only the L1 information that begins each block.</p>
      ) : (
        <ol className="rows">
          {fromUsers.map(({ hash, from, to, created, value, succeeded, time }) => (
            <li key={hash}>
              <span className="row-main">
                <TransactionLink hash={hash} /> {!succeeded && <ResultBadge succeeded={false} />}
              </span>
              <span className="row-detail">
                <AddressLink address={from} /> →{' '}
                {to !== null ? (
                  <AddressLink address={to} />
                ) : created !== null ? (
                  <>
                    new contract <AddressLink address={created} />
                  </>
                ) : (
                  'nothing'
                )}
                {value !== '0' && <>, {formatNative(BigInt(value), l2.currency)}</>}
              </span>
              <Ago ms={Date.parse(time)} />
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}
