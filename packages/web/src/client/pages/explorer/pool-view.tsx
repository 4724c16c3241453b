import { useConfig } from '../../data/config.ts'
import { rpc } from '../../data/rpc.ts'
import { useQuery } from '../../data/use-query.ts'
import { formatCount, formatGasPrice } from '../../format/amounts.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { TryIt } from '../../parts/command/try-it.tsx'
import { AddressLink, TransactionLink } from '../../parts/hashes/hash.tsx'
import { Notice } from '../../parts/notice.tsx'
import { type Column, Table } from '../../parts/table.tsx'

interface PoolTransaction {
  readonly hash: string
  readonly from: string
  readonly to: string | null
  readonly value: string
  readonly nonce: string
  readonly gasPrice?: string
  readonly maxFeePerGas?: string
}

type BySender = Readonly<Record<string, Readonly<Record<string, PoolTransaction>>>>

interface Pool {
  readonly pending: number
  readonly queued: number
  /** Null where the pool is too large to list. */
  readonly transactions: readonly PoolTransaction[] | null
}

const REFRESH_MS = 2_000
const MAX_LISTED = 2_000
const MAX_SHOWN = 100

const COLUMNS: readonly Column<PoolTransaction>[] = [
  { name: 'Transaction', show: ({ hash }) => <TransactionLink hash={hash} /> },
  { name: 'From', show: ({ from }) => <AddressLink address={from} /> },
  { name: 'To', show: ({ to }) => (to === null ? 'new contract' : <AddressLink address={to} />) },
  { name: 'Nonce', isNumber: true, show: ({ nonce }) => Number(nonce) },
  { name: 'Value', isNumber: true, show: ({ value }) => <NativeAmount wei={value} /> },
  { name: 'Highest price', isNumber: true, show: ({ maxFeePerGas, gasPrice }) => formatGasPrice(BigInt(maxFeePerGas ?? gasPrice ?? 0)) },
]

export function PoolView() {
  const { commands, l2 } = useConfig()
  const { data, error } = useQuery('pool', fetchPool, REFRESH_MS)
  if (data === null) return <Notice error={error} what="the pool" />
  return (
    <>
      <p className="hint">
        Transactions that the sequencer's node holds for a later block: {formatCount(data.pending)} can be included now,{' '}
        {formatCount(data.queued)} wait for an earlier one of their sender.
      </p>
      {data.transactions === null ? (
        <p className="empty">The pool is too large to list.</p>
      ) : data.transactions.length === 0 ? (
        <TryIt command={`${commands.withdraw} --amount 0.1`}>
          The pool is empty: every transaction is in a block. A transaction stays here for one block at most, {l2.blockTimeSec} s, unless
          its price is too low or an earlier one of its sender is missing. This one passes through, with a key in KEELSON_PRIVATE_KEY:
        </TryIt>
      ) : (
        <Table caption="Transactions of the pool" columns={COLUMNS} rows={data.transactions} keyOf={({ hash }) => hash} />
      )}
    </>
  )
}

async function fetchPool(): Promise<Pool> {
  const status = await rpc<{ readonly pending: string; readonly queued: string }>('txpool_status', [])
  const [pending, queued] = [Number(status.pending), Number(status.queued)]
  if (pending + queued > MAX_LISTED) return { pending, queued, transactions: null }
  if (pending + queued === 0) return { pending, queued, transactions: [] }
  const content = await rpc<{ readonly pending: BySender; readonly queued: BySender }>('txpool_content', [])
  const transactions = [content.pending, content.queued].flatMap((senders) => Object.values(senders).flatMap((one) => Object.values(one)))
  return { pending, queued, transactions: transactions.slice(0, MAX_SHOWN) }
}
