import type { Batch, Channel } from '../../data/index-types.ts'
import { useIndex } from '../../data/use-index.ts'
import { formatBytes, formatCount } from '../../format/amounts.ts'
import { shortHex } from '../../format/hex.ts'
import { formatAbsolute } from '../../format/times.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { BlockLink } from '../../parts/hashes/hash.tsx'
import { L1Address, L1BlockNumber, L1Transaction } from '../../parts/hashes/l1-links.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import type { PageProps } from '../../shell/routes.tsx'
import { useTitle } from '../../shell/use-title.ts'
import './explorer.css'

const REFRESH_MS = 5_000

/** A transaction of the batcher on L1. */
export function BatchPage({ id }: PageProps) {
  useTitle(`Batch ${id.slice(0, 10)}`)
  const { data, error } = useIndex<Batch & { readonly channels: readonly Channel[] }>(`/l1/batches/${id}`, REFRESH_MS)
  if (data === null) return <Notice error={error} what="the batch" />
  const { transaction, l1Block, time, from, carrier, blobs, bytes, readable, channels } = data
  const columns = [
    {
      name: 'Channel',
      show: ({ channel }: Channel) => (
        <span className="hex" title={channel}>
          {shortHex(channel, 6)}
        </span>
      ),
    },
    {
      name: 'Blocks of this chain',
      show: ({ firstBlock, lastBlock }: Channel) =>
        firstBlock === null || lastBlock === null ? (
          'not complete yet'
        ) : (
          <>
            <BlockLink number={firstBlock} /> to <BlockLink number={lastBlock} />
          </>
        ),
    },
    { name: 'Batches', isNumber: true, show: ({ batches }: Channel) => formatCount(batches) },
    { name: 'Closed in L1 block', isNumber: true, show: ({ closedInL1Block }: Channel) => <L1BlockNumber number={closedInL1Block} /> },
    { name: 'Problem', show: ({ problem }: Channel) => problem ?? 'none' },
  ]
  return (
    <>
      <h1>Batch on L1</h1>
      <section className="card">
        <Facts>
          <Fact name="L1 transaction">
            <L1Transaction hex={transaction} full />
          </Fact>
          <Fact name="L1 block">
            <L1BlockNumber number={l1Block} />, {formatAbsolute(Date.parse(time))}, <Ago ms={Date.parse(time)} />
          </Fact>
          <Fact name="Batcher">
            <L1Address hex={from} full />
          </Fact>
          <Fact name="Data">
            {readable ? formatBytes(bytes) : 'not readable: no L1 node keeps it any more'} in{' '}
            {carrier === 'blobs' ? `${blobs} ${blobs === 1 ? 'blob' : 'blobs'}` : 'calldata'}
          </Fact>
        </Facts>
      </section>
      <section className="card">
        <h2>What it carries</h2>
        <p className="hint">A channel is a compressed stream of batches, and may be spread over several L1 transactions.</p>
        {channels.length === 0 ? (
          <p className="empty">No complete channel uses this data yet.</p>
        ) : (
          <Table caption="Channels of the batch" columns={columns} rows={channels} keyOf={({ channel }) => channel} />
        )}
      </section>
    </>
  )
}
