import type { Incident } from '../../../shared/network-document.ts'
import { formatAbsolute, formatDuration } from '../../format/times.ts'
import { Card } from '../../parts/card.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'

const COLUMNS: readonly Column<Incident>[] = [
  { name: 'Began', show: ({ fromMs }) => <Ago ms={fromMs} /> },
  { name: 'Role', show: ({ role }) => <strong className="role-name-cell">{role}</strong> },
  { name: 'What', show: ({ what }) => what },
  {
    name: 'Ended',
    isNumber: true,
    show: ({ fromMs, toMs }) =>
      toMs === null ? (
        <span className="badge is-bad">lasts</span>
      ) : (
        <span title={formatAbsolute(toMs)}>after {formatDuration(toMs - fromMs)}</span>
      ),
  },
]

export function IncidentsCard({ incidents }: { readonly incidents: readonly Incident[] }) {
  return (
    <Card title="Incidents" aside={<span className="muted">newest first</span>}>
      {incidents.length === 0 ? (
        <p className="empty">None.</p>
      ) : (
        <Table
          caption="Incidents"
          columns={COLUMNS}
          rows={incidents}
          keyOf={({ role, check, fromMs, what }) => `${role} ${check} ${fromMs} ${what}`}
        />
      )}
    </Card>
  )
}
