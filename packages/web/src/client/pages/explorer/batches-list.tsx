import type { Batch } from '../../data/index-types.ts'
import { formatBytes } from '../../format/amounts.ts'
import { L1BlockNumber, L1Transaction } from '../../parts/hashes/l1-links.tsx'
import { PagedList } from '../../parts/paged-list.tsx'
import type { Column } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'

const COLUMNS: readonly Column<Batch>[] = [
  {
    name: 'L1 transaction',
    show: ({ transaction }) => <L1Transaction hex={transaction} page={`/batch/${transaction}`} />,
  },
  { name: 'L1 block', isNumber: true, show: ({ l1Block }) => <L1BlockNumber number={l1Block} /> },
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
