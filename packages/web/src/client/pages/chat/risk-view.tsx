import type { RiskReport } from '../../data/platform/trade-types.ts'

const TONES = { low: 'is-good', medium: 'is-unsafe', high: 'is-bad', unknown: 'is-unsafe' } as const

export function RiskView({ risk }: { readonly risk: RiskReport }) {
  const { level, aggregate_score: score, checks } = risk
  return (
    <details className="risk">
      <summary>
        <span className={`badge ${TONES[level]}`}>risk {level}</span>{' '}
        {score === null ? 'data is missing' : `${score} of 10, where 10 is safest`}
      </summary>
      <ul className="check-list">
        {checks.map(({ name, result, details }) => (
          <li key={name}>
            <strong>{name.replaceAll('_', ' ')}</strong>: {result}. {details.summary}
          </li>
        ))}
      </ul>
    </details>
  )
}
