import { Link } from '../shell/link.tsx'
import { useTitle } from '../shell/use-title.ts'

export function NotFoundPage() {
  useTitle('Not found')
  return (
    <section className="card not-found">
      <p className="not-found-number" aria-hidden="true">
        404
      </p>
      <h1>There is no page here</h1>
      <p>The address may be mistyped. A block, transaction, address or token is found by the search above.</p>
      <Link href="/" className="button">
        To the first page
      </Link>
    </section>
  )
}
