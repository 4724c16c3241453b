import type { Problem } from '../../shared/network-document.ts'
import { Ago } from './time.tsx'

export function Problems({ problems }: { readonly problems: readonly Problem[] }) {
  return (
    <ul className="problems">
      {problems.map(({ role, check, what, todo, sinceMs }) => (
        <li key={`${role} ${check}`}>
          <span className="problem-role">{role}</span>
          <span className="problem-what">
            {what}
            {todo !== null && <span className="problem-todo">What to do: {todo}</span>}
          </span>
          <Ago ms={sinceMs} />
        </li>
      ))}
    </ul>
  )
}
