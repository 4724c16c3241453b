import { useConfig } from '../../data/config.ts'
import { getJson } from '../../data/get-json.ts'
import type { IndexedTransaction, Listed } from '../../data/index-types.ts'
import { isL1Info } from '../../data/transaction-kind.ts'
import { useQuery } from '../../data/use-query.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { Card } from '../../parts/card.tsx'
import { AddressLink, TransactionLink } from '../../parts/hashes/hash.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Recipient } from '../../parts/recipient.tsx'
import { ResultBadge } from '../../parts/status-badge.tsx'
import { Ago } from '../../parts/time.tsx'

const REFRESH_MS = 4_000
const SHOWN = 8
/** On a chain with little use most transactions are L1 information, which is not shown. */
const MAX_PAGES = 4

export function LatestTransactions() {
  const { services } = useConfig()
  const { data, error } = useQuery(services.index ? 'latest transactions' : null, fetchLatest, REFRESH_MS)
  return (
    <Card title="Latest transactions">
      {!services.index ? (
        <p className="empty">This network has no index, which keeps the histories.</p>
      ) : data === null ? (
        <Notice error={error} what="the latest transactions" />
      ) : data.length === 0 ? (
        <p className="empty">The newest blocks hold no transaction of a user, only the L1 information that begins each block.</p>
      ) : (
        <ol className="rows">
          {data.map(({ hash, from, to, created, value, succeeded, time }) => (
            <li key={hash}>
              <span className="row-main">
                <TransactionLink hash={hash} /> {!succeeded && <ResultBadge succeeded={false} />}
              </span>
              <span className="row-detail">
                <AddressLink address={from} /> → <Recipient to={to} created={created} />
                {value !== '0' && (
                  <>
                    , <NativeAmount wei={value} />
                  </>
                )}
              </span>
              <Ago ms={Date.parse(time)} />
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}

async function fetchLatest(): Promise<readonly IndexedTransaction[]> {
  const found: IndexedTransaction[] = []
  let before = ''
  for (let pages = 0; pages < MAX_PAGES && found.length < SHOWN; pages++) {
    const { items, next } = await getJson<Listed<IndexedTransaction>>(`/api/index/transactions?limit=50${before}`)
    found.push(...items.filter((transaction) => !isL1Info(transaction)))
    if (next === null) break
    before = `&before=${encodeURIComponent(next)}`
  }
  return found.slice(0, SHOWN)
}
