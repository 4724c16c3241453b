import type { CheckReport } from '../../shared/network-document.ts'

/** The checks of a role, in its own words. */
export function CheckList({ checks }: { readonly checks: readonly CheckReport[] }) {
  return (
    <ul className="check-list">
      {checks.map(({ name, ok, text }) => (
        <li key={name}>
          <span className={ok ? 'good-text' : 'bad-text'} aria-hidden="true">
            {ok ? '✓' : '✗'}
          </span>{' '}
          <strong>{name}</strong> {text}
        </li>
      ))}
    </ul>
  )
}
