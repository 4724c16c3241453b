import type { Metrics } from '@keelson/runtime'
import type { Database } from './database.ts'

/** Blocks between two runs, and the growth that makes the planner's statistics useless. */
const VACUUM_EVERY_BLOCKS = 20_000
const ANALYZE_GROWTH = 1.5

/** Measures the database. The embedded one has no autovacuum, so its dead rows and statistics are looked after here. */
export function createUpkeep(db: Database, metrics: Metrics): () => Promise<void> {
  const size = metrics.gauge('database_bytes', 'Size of the database')
  let analyzedAt = 0
  let vacuumedAt: number | null = null
  return async () => {
    const [measured] = await db.query<{ bytes: number }>('select pg_database_size(current_database()) as bytes')
    size.set(Number(measured?.bytes ?? 0))
    if (db.engine === 'postgres') return
    const [cursor] = await db.query<{ number: number }>('select number from cursor')
    const at = cursor?.number ?? 0
    if (at > analyzedAt * ANALYZE_GROWTH) {
      await db.query('analyze')
      analyzedAt = at
    }
    vacuumedAt ??= at
    if (Math.abs(at - vacuumedAt) < VACUUM_EVERY_BLOCKS) return
    for (const table of ['token_balances', 'token_holders', 'hours', 'cursor', 'tokens']) await db.query(`vacuum ${table}`)
    vacuumedAt = at
  }
}
