import type { Sql } from '../storage/database.ts'
import { timeText } from './views.ts'

export type StatsInterval = 'hour' | 'day'

const HOURS_OF: Readonly<Record<StatsInterval, number>> = { hour: 1, day: 24 }
const HOUR_SEC = 3_600

interface SumRow {
  readonly blocks: string | null
  readonly transactions: string | null
  readonly gas_used: string | null
  readonly l2_fees: string | null
  readonly l1_fees: string | null
}

const SUMS = `sum(blocks)::text as blocks, sum(transactions)::text as transactions, sum(gas_used)::text as gas_used,
  sum(l2_fees)::text as l2_fees, sum(l1_fees)::text as l1_fees`

/** The last point contains the newest block and may be incomplete. Points without blocks are absent. */
export async function readStats(sql: Sql, interval: StatsInterval, points: number) {
  const hours = HOURS_OF[interval]
  const [total] = await sql.query<SumRow & { readonly newest: number | null }>(`select ${SUMS}, max(hour) as newest from hours`)
  const newest = Math.floor((total?.newest ?? 0) / hours)
  const rows = await sql.query<SumRow & { readonly point: number }>(
    `select hour / $1 as point, ${SUMS} from hours where hour >= $2 group by 1 order by 1`,
    [hours, (newest - points + 1) * hours],
  )
  return {
    totals: sumsView(total),
    interval,
    points: rows.map((row) => ({ from: timeText(row.point * hours * HOUR_SEC), ...sumsView(row) })),
  }
}

function sumsView(row: SumRow | undefined) {
  const gasUsed = row?.gas_used ?? '0'
  return {
    blocks: Number(row?.blocks ?? 0),
    transactions: Number(row?.transactions ?? 0),
    gasUsed,
    l2Fees: row?.l2_fees ?? '0',
    l1Fees: row?.l1_fees ?? '0',
    /** L2 fees per gas, in wei. */
    averageGasPrice: gasUsed === '0' ? '0' : (BigInt(row?.l2_fees ?? '0') / BigInt(gasUsed)).toString(),
  }
}
