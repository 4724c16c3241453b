import type { ReactNode } from 'react'

export interface Column<T> {
  readonly name: string
  /** Numbers are aligned to the right. */
  readonly isNumber?: boolean
  show(row: T): ReactNode
}

export interface TableProps<T> {
  readonly caption: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  keyOf(row: T): string
}

/** On a phone each row becomes a block of names and values. */
export function Table<T>({ caption, columns, rows, keyOf }: TableProps<T>) {
  return (
    <table className="table">
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name, isNumber }) => (
            <th key={name} scope="col" className={isNumber ? 'is-number' : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ name, isNumber, show }) => (
              <td key={name} data-name={name} className={isNumber ? 'is-number' : undefined}>
                <span className="cell">{show(row)}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
