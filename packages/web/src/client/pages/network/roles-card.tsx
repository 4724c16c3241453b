import type { RoleReport } from '../../../shared/network-document.ts'
import { Card } from '../../parts/card.tsx'

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
              <ul>
                {checks.map((check) => (
                  <li key={check.name}>
                    <span className={check.ok ? 'good-text' : 'bad-text'} aria-hidden="true">
                      {check.ok ? '✓' : '✗'}
                    </span>{' '}
                    <strong>{check.name}</strong> {check.text}
                  </li>
                ))}
              </ul>
            </details>
          ))}
        </div>
      )}
    </Card>
  )
}
