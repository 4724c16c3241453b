import { useConfig } from '../../data/config.ts'
import { useAbis } from '../../data/use-abis.ts'
import { TryIt } from '../../parts/command/try-it.tsx'
import { PagedList } from '../../parts/paged-list.tsx'
import { Link } from '../../shell/link.tsx'
import { usePath, useSearch } from '../../shell/location.ts'
import { transactionColumns } from './transaction-columns.tsx'

/** What people sent; the transactions of the protocol are shown on request. The choice is part of the page's address. */
export function TransactionsList() {
  const abis = useAbis()
  const { commands } = useConfig()
  const path = usePath()
  const all = new URLSearchParams(useSearch()).get('show') === 'all'
  return (
    <>
      <p className="hint list-choice">
        <span>
          {all
            ? 'All transactions, with the one of each block that tells L2 about L1.'
            : 'Without the transactions that the protocol itself puts into each block.'}
        </span>
        <Link href={`${path}?tab=transactions${all ? '' : '&show=all'}`}>{all ? 'Hide those of the protocol' : 'Show those too'}</Link>
      </p>
      <PagedList
        what="the transactions"
        path={`/transactions?show=${all ? 'all' : 'sent'}`}
        empty={
          <TryIt command={`${commands.deposit} --amount 0.5`}>
            Nobody has sent a transaction yet. A deposit from L1 is one; so is a payment of the <Link href="/faucet">faucet</Link>.
          </TryIt>
        }
        columns={transactionColumns(abis)}
        keyOf={({ hash }) => hash}
      />
    </>
  )
}
