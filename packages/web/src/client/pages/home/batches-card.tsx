import type { Batch } from '../../data/index-types.ts'
import { formatBytes } from '../../format/amounts.ts'
import { shortHex } from '../../format/hex.ts'
import { Card } from '../../parts/card.tsx'
import { L1BlockNumber } from '../../parts/hashes/l1-links.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Ago } from '../../parts/time.tsx'
import { Link } from '../../shell/link.tsx'

export function BatchesCard({ batches, error }: { readonly batches: readonly Batch[] | null; readonly error: Error | null }) {
  return (
    <Card title="Batches on L1" aside={<span className="muted">what the batcher wrote to L1</span>}>
      {batches === null ? (
        <Notice error={error} what="the batches on L1" />
      ) : batches.length === 0 ? (
        <p className="empty">No batch is on L1 yet.</p>
      ) : (
        <ol className="rows batches">
          {batches.map(({ transaction, l1Block, carrier, blobs, bytes, readable, time }) => (
            <li key={transaction}>
              <Link className="row-main hex" href={`/batch/${transaction}`} title={transaction}>
                {shortHex(transaction)}
              </Link>
              <span className="row-detail">
                L1 block <L1BlockNumber number={l1Block} />,{' '}
                {carrier === 'blobs' ? `${blobs} ${blobs === 1 ? 'blob' : 'blobs'}` : 'calldata'},{' '}
                {readable ? `${formatBytes(bytes)} of data` : 'not readable'}
              </span>
              <Ago ms={Date.parse(time)} />
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}
