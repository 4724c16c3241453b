import type { NodeReport, PeerReport } from '../../../shared/network-document.ts'
import { Card } from '../../parts/card.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'

interface Row extends PeerReport {
  readonly node: string
}

const SHORT = 12

const COLUMNS: readonly Column<Row>[] = [
  { name: 'Node', show: ({ node }) => node },
  {
    name: 'Peer',
    show: ({ id }) => (
      <span className="hex" title={id}>
        …{id.slice(-SHORT)}
      </span>
    ),
  },
  { name: 'Program', show: ({ program }) => program || 'does not say' },
  { name: 'Connection', show: ({ direction }) => direction },
  { name: 'Latency', isNumber: true, show: ({ latencyMs }) => (latencyMs === 0 ? 'below 1 ms' : `${latencyMs} ms`) },
  { name: 'Score', isNumber: true, show: ({ score }) => score.toFixed(1) },
  {
    name: 'Connected',
    isNumber: true,
    show: ({ connectedSinceMs }) => (connectedSinceMs === null ? 'not known' : <Ago ms={connectedSinceMs} />),
  },
]

export function PeersCard({ nodes }: { readonly nodes: readonly NodeReport[] }) {
  const rows = nodes.flatMap(({ name, peers }) => peers.map((peer) => ({ ...peer, node: name })))
  return (
    <Card title="Peers" aside={<span className="muted">who the nodes exchange blocks with</span>}>
      {rows.length === 0 ? (
        <p className="empty">No node has a peer: blocks come from L1 alone.</p>
      ) : (
        <Table caption="Peers of the nodes" columns={COLUMNS} rows={rows} keyOf={({ node, id }) => `${node} ${id}`} />
      )}
    </Card>
  )
}
