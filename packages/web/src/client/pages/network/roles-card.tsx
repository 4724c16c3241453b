import type { RoleReport } from '../../../shared/network-document.ts'
import { Card } from '../../parts/card.tsx'
import { CheckList } from '../../parts/check-list.tsx'

/** Each part of the network with its checks, in its own words. */
export function RolesCard({ roles }: { readonly roles: readonly RoleReport[] }) {
  return (
    <Card title="Roles" aside={<span className="muted">open one to see its checks</span>}>
      {roles.length === 0 ? (
        <p className="empty">This server watches no role.</p>
      ) : (
        <div className="roles">
          {roles.map(({ name, ready, trouble, checks }) => (
            <details key={name} className="role">
              <summary>
                <span className={`badge ${ready ? 'is-good' : 'is-bad'}`}>
                  {ready ? 'ready' : trouble === null ? 'not ready' : 'silent'}
                </span>{' '}
                <span className="role-name">{name}</span>
              </summary>
              {trouble !== null && <p className="bad-text">{trouble}</p>}
              <CheckList checks={checks} />
            </details>
          ))}
        </div>
      )}
    </Card>
  )
}
