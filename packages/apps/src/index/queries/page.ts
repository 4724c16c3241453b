/** A page's cursor is the key of its last row, as text. */
export interface Page {
  /** Null for the first page. */
  readonly before: readonly string[] | null
  readonly limit: number
}

export interface Listed<T> {
  readonly items: readonly T[]
  /** `before` of the next page; null when there is none. */
  readonly next: string | null
}

/** `rows` has one row more than the page if another page follows. */
export function listed<R, T>(
  rows: readonly R[],
  limit: number,
  view: (row: R) => T,
  keyOf: (row: R) => readonly (string | number)[],
): Listed<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items: items.map(view), next: rows.length > limit && last !== undefined ? keyOf(last).join('-') : null }
}
