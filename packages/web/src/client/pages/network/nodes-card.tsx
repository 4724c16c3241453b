import type { NodeReport } from '../../../shared/network-document.ts'
import { formatCount } from '../../format/amounts.ts'
import { formatDuration } from '../../format/times.ts'
import { Card } from '../../parts/card.tsx'
import { BlockLink } from '../../parts/hashes/hash.tsx'
import { type Column, Table } from '../../parts/table.tsx'

type Heads = NonNullable<NodeReport['heads']>

/** Consensus clients side by side; a node is behind by its distance to the furthest one. */
export function NodesCard({ nodes }: { readonly nodes: readonly NodeReport[] }) {
  const best = nodes.reduce<Heads['unsafe'] | null>((best, { heads }) => {
    return heads !== null && heads.unsafe.number > (best?.number ?? -1) ? heads.unsafe : best
  }, null)
  const ofHeads = (show: (heads: Heads) => React.ReactNode) => {
    return ({ heads }: NodeReport) => (heads === null ? <span className="muted">not known</span> : show(heads))
  }
  const columns: readonly Column<NodeReport>[] = [
    {
      name: 'Node',
      show: ({ name, trouble }) => (
        <>
          <strong>{name}</strong> {trouble !== null && <span className="bad-text">{trouble}</span>}
        </>
      ),
    },
    { name: 'Unsafe', isNumber: true, show: ofHeads(({ unsafe }) => <BlockLink number={unsafe.number} />) },
    { name: 'Safe', isNumber: true, show: ofHeads(({ safe }) => <BlockLink number={safe.number} />) },
    { name: 'Finalized', isNumber: true, show: ofHeads(({ finalized }) => <BlockLink number={finalized.number} />) },
    { name: 'Behind', isNumber: true, show: ofHeads(({ unsafe }) => behind(unsafe, best)) },
    {
      name: 'L1 read up to',
      isNumber: true,
      show: ofHeads(({ l1 }) => `${formatCount(l1.derived.number)} of ${formatCount(l1.head.number)}`),
    },
    { name: 'Peers', isNumber: true, show: ({ peers }) => peers.length },
  ]
  return (
    <Card title="Nodes" aside={<span className="muted">as each reports itself</span>}>
      {nodes.length === 0 ? (
        <p className="empty">This server watches no consensus client.</p>
      ) : (
        <Table caption="Nodes" columns={columns} rows={nodes} keyOf={({ name }) => name} />
      )}
    </Card>
  )
}

function behind(head: Heads['unsafe'], best: Heads['unsafe'] | null): string {
  if (best === null || head.number >= best.number) return 'at the front'
  const blocks = best.number - head.number
  return `${formatCount(blocks)} ${blocks === 1 ? 'block' : 'blocks'}, ${formatDuration(1000 * (best.timeSec - head.timeSec))}`
}
