import type { Batch } from '../../data/index-types.ts'
import { formatBytes, formatCount } from '../../format/amounts.ts'
import { shortHex } from '../../format/hex.ts'
import { PagedList } from '../../parts/paged-list.tsx'
import type { Column } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { Link } from '../../shell/link.tsx'

const COLUMNS: readonly Column<Batch>[] = [
  {
    name: 'L1 transaction',
    show: ({ transaction }) => (
      <Link className="hex" href={`/batch/${transaction}`} title={transaction}>
        {shortHex(transaction)}
      </Link>
    ),
  },
  { name: 'L1 block', isNumber: true, show: ({ l1Block }) => formatCount(l1Block) },
  { name: 'Carried in', show: ({ carrier, blobs }) => (carrier === 'blobs' ? `${blobs} ${blobs === 1 ? 'blob' : 'blobs'}` : 'calldata') },
  { name: 'Data', isNumber: true, show: ({ readable, bytes }) => (readable ? formatBytes(bytes) : 'not readable') },
  { name: 'Age', isNumber: true, show: ({ time }) => <Ago ms={Date.parse(time)} /> },
]

export function BatchesList() {
  return (
    <PagedList
      what="the batches on L1"
      path="/l1/batches"
      empty="No batch is on L1 yet."
      columns={COLUMNS}
      keyOf={({ transaction }) => transaction}
    />
  )
}
