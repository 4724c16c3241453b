import type { ReactNode } from 'react'
import type { Listed } from '../data/index-types.ts'
import { useIndex } from '../data/use-index.ts'
import { Link } from '../shell/link.tsx'
import { usePath, useSearch } from '../shell/location.ts'
import { Notice } from './notice.tsx'
import { type Column, Table } from './table.tsx'

export interface PagedListProps<T> {
  /** For people: "the transactions". */
  readonly what: string
  /** Path after /api/index, with a query or without. */
  readonly path: string
  /** Says why there is nothing, and best how to change that. */
  readonly empty: ReactNode
  readonly columns: readonly Column<T>[]
  keyOf(row: T): string
  isShown?(row: T): boolean
}

const ROWS = 25
const REFRESH_MS = 4_000

/** The newest page refreshes itself; the place in the list is part of the page's address. */
export function PagedList<T>({ what, path, empty, columns, keyOf, isShown = () => true }: PagedListProps<T>) {
  const here = usePath()
  const params = new URLSearchParams(useSearch())
  const before = params.get('before')
  const page = `limit=${ROWS}${before === null ? '' : `&before=${encodeURIComponent(before)}`}`
  const { data, error } = useIndex<Listed<T>>(`${path}${path.includes('?') ? '&' : '?'}${page}`, before === null ? REFRESH_MS : null)
  if (data === null) return <Notice error={error} what={what} />
  const rows = data.items.filter(isShown)
  const at = (cursor: string | null) => {
    const next = new URLSearchParams(params)
    if (cursor === null) next.delete('before')
    else next.set('before', cursor)
    return next.size === 0 ? here : `${here}?${next}`
  }
  return (
    <>
      {rows.length === 0 ? (
        typeof empty === 'string' ? (
          <p className="empty">{empty}</p>
        ) : (
          empty
        )
      ) : (
        <Table caption={what} columns={columns} rows={rows} keyOf={keyOf} />
      )}
      {(before !== null || data.next !== null) && (
        <nav className="pager" aria-label={`Pages of ${what}`}>
          {before !== null && (
            <Link href={at(null)} className="button is-plain">
              First page
            </Link>
          )}
          {data.next !== null && (
            <Link href={at(data.next)} className="button is-plain">
              Next page
            </Link>
          )}
        </nav>
      )}
    </>
  )
}
