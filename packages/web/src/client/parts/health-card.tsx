import type { NetworkDocument } from '../../shared/network-document.ts'
import { Notice } from './notice.tsx'
import { Problems } from './problems.tsx'

/** What is wrong and what to do, in the words of the roles. */
export function HealthCard({ network, error }: { readonly network: NetworkDocument | null; readonly error: Error | null }) {
  if (network === null)
    return (
      <section className="card health">
        <Notice error={error} what="the state of the network" />
      </section>
    )
  const { problems, roles } = network
  const ready = roles.filter(({ ready }) => ready).length
  if (problems.length > 0)
    return (
      <section className="card health is-bad" aria-label="What is wrong and what to do">
        <h2>
          {problems.length === 1 ? 'One thing needs attention' : `${problems.length} things need attention`}
          <span className="muted">
            {' '}
            {ready} of {roles.length} roles are ready
          </span>
        </h2>
        <Problems problems={problems} />
      </section>
    )
  return (
    <section className="card health is-good" aria-label="State of the network">
      <p>
        <span className="health-mark" aria-hidden="true">
          ✓
        </span>
        {roles.length === 0 ? 'No role is watched by this server.' : `Nothing is wrong: all ${roles.length} roles are ready.`}
      </p>
    </section>
  )
}
