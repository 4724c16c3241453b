export type SqlValue = string | number | boolean | null | Uint8Array

export interface Sql {
  /** Returns int8 as numbers, numeric as decimal text and bytea as bytes. */
  query<R>(text: string, params?: readonly SqlValue[]): Promise<readonly R[]>
}

export interface Database extends Sql {
  readonly engine: 'pglite' | 'postgres'
  transaction<T>(run: (sql: Sql) => Promise<T>): Promise<T>
  /** A transaction of the elected writer. Throws RuntimeError `runtime/not-leader` when another process was elected meanwhile. */
  write<T>(run: (sql: Sql) => Promise<T>): Promise<T>
  /** Elects one writer among the processes that share the database; false while another one is. The writer must call it every few seconds. */
  isWriter(): Promise<boolean>
  trouble(): Promise<string | null>
  close(): Promise<void>
}
