import type { Deposit, Listed, Withdrawal } from '../../data/index-types.ts'
import { useIndex } from '../../data/use-index.ts'
import { shortHex } from '../../format/hex.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { Card } from '../../parts/card.tsx'
import { Notice } from '../../parts/notice.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { Link } from '../../shell/link.tsx'
import { badgeOf } from './deposit-card.tsx'
import { useDeposit, useWithdrawals } from './use-transfer.ts'

/** Newest transfers; older ones are on the page of the address. */
const SHOWN = 8
const REFRESH_MS = 5_000

const DEPOSITS: readonly Column<Deposit>[] = [
  {
    name: 'On L1',
    show: ({ l1Transaction }) => (
      <Link className="hex" href={`/bridge?deposit=${l1Transaction}`} title={l1Transaction}>
        {shortHex(l1Transaction)}
      </Link>
    ),
  },
  { name: 'Amount', isNumber: true, show: ({ mint }) => <NativeAmount wei={mint} /> },
  { name: 'State', isNumber: true, show: ({ l1Transaction }) => <DepositState hash={l1Transaction} /> },
  { name: 'Sent', isNumber: true, show: ({ time }) => <Ago ms={Date.parse(time)} /> },
]

const WITHDRAWALS: readonly Column<Withdrawal>[] = [
  {
    name: 'On L2',
    show: ({ transaction }) => (
      <Link className="hex" href={`/bridge?withdrawal=${transaction}`} title={transaction}>
        {shortHex(transaction)}
      </Link>
    ),
  },
  { name: 'Amount', isNumber: true, show: ({ value }) => <NativeAmount wei={value} /> },
  {
    name: 'State',
    isNumber: true,
    show: ({ transaction, withdrawalHash }) => <WithdrawalState hash={transaction} withdrawalHash={withdrawalHash} />,
  },
  { name: 'Begun', isNumber: true, show: ({ time }) => <Ago ms={Date.parse(time)} /> },
]

export function TransfersOfAddress({ address }: { readonly address: string }) {
  const deposits = useIndex<Listed<Deposit>>(`/addresses/${address}/deposits?limit=${SHOWN}`, REFRESH_MS)
  const withdrawals = useIndex<Listed<Withdrawal>>(`/addresses/${address}/withdrawals?limit=${SHOWN}`, REFRESH_MS)
  return (
    <div className="columns">
      <Card title="Deposits" aside={<Link href={`/address/${address}?tab=deposits`}>all</Link>}>
        {deposits.data === null ? (
          <Notice error={deposits.error} what="the deposits" />
        ) : deposits.data.items.length === 0 ? (
          <p className="empty">None yet.</p>
        ) : (
          <Table caption="Deposits" columns={DEPOSITS} rows={deposits.data.items} keyOf={({ l2Transaction }) => l2Transaction} />
        )}
      </Card>
      <Card title="Withdrawals" aside={<Link href={`/address/${address}?tab=withdrawals`}>all</Link>}>
        {withdrawals.data === null ? (
          <Notice error={withdrawals.error} what="the withdrawals" />
        ) : withdrawals.data.items.length === 0 ? (
          <p className="empty">None yet.</p>
        ) : (
          <Table caption="Withdrawals" columns={WITHDRAWALS} rows={withdrawals.data.items} keyOf={({ withdrawalHash }) => withdrawalHash} />
        )}
      </Card>
    </div>
  )
}

function DepositState({ hash }: { readonly hash: string }) {
  const { data, error } = useDeposit(hash)
  return <StateBadge state={data?.state ?? null} error={error} />
}

function WithdrawalState({ hash, withdrawalHash }: { readonly hash: string; readonly withdrawalHash: string }) {
  const { data, error } = useWithdrawals(hash)
  return <StateBadge state={data?.withdrawals.find((one) => one.withdrawalHash === withdrawalHash)?.status ?? null} error={error} />
}

function StateBadge({ state, error }: { readonly state: string | null; readonly error: Error | null }) {
  if (state === null) return <span className="muted">{error === null ? '…' : 'not known'}</span>
  return <span className={`badge ${badgeOf(state)}`}>{state.replaceAll('-', ' ')}</span>
}
