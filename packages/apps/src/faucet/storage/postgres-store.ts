/** Records of a faucet in PostgreSQL. Every batch is a transaction of the elected leader. */
import { compareBytes } from '@keelson/primitives'
import type { Election, KeyValueOp, Lead } from '@keelson/runtime'
import type { FaucetStore } from './faucet-store.ts'

interface Row {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/**
 * A page fits into the buffers of a socket. The server is then idle while a leader that was stopped reads, and ends its session; it
 * would keep the session, and the lock, while it cannot send.
 */
const PAGE_ROWS = 100

/** A batch throws RuntimeError `runtime/not-leader` once the lead is over. */
export function createPostgresStore({ query: read }: Pick<Election, 'query'>, lead: Lead): FaucetStore {
  return {
    async *range(from, to, { reverse = false, limit = Number.POSITIVE_INFINITY } = {}) {
      const order = reverse ? 'desc' : 'asc'
      let [low, high, left] = [from, to, limit]
      while (left > 0 && compareBytes(low, high) < 0) {
        const count = Math.min(left, PAGE_ROWS)
        const rows = await read<Row>(`select key, value from faucet_records where key >= $1 and key < $2 order by key ${order} limit $3`, [
          low,
          high,
          count,
        ])
        for (const { key, value } of rows) yield [new Uint8Array(key), new Uint8Array(value)]
        const last = rows.at(-1)
        if (last === undefined || rows.length < count) return
        left -= rows.length
        if (reverse) high = last.key
        else low = nextKey(last.key)
      }
    },
    async batch(ops) {
      if (ops.length === 0) return
      const { puts, deletes } = lastOfEach(ops)
      await lead.transaction(async (query) => {
        if (deletes.length > 0) await query('delete from faucet_records where key = any($1::bytea[])', [deletes])
        if (puts.length === 0) return
        await query(
          `insert into faucet_records (key, value) select * from unnest($1::bytea[], $2::bytea[])
            on conflict (key) do update set value = excluded.value`,
          [puts.map(({ key }) => key), puts.map(({ value }) => value)],
        )
      })
    },
    close: async () => undefined,
  }
}

function lastOfEach(ops: readonly KeyValueOp[]): { readonly puts: readonly Row[]; readonly deletes: readonly Uint8Array[] } {
  const last = new Map(ops.map((op) => ['put' in op ? keyText(op.put) : keyText(op.del), op]))
  const puts: Row[] = []
  const deletes: Uint8Array[] = []
  for (const op of last.values()) {
    if ('put' in op) puts.push({ key: Buffer.from(op.put), value: Buffer.from(op.value) })
    else deletes.push(Buffer.from(op.del))
  }
  return { puts, deletes }
}

/** The lowest key above. */
function nextKey(key: Uint8Array): Uint8Array {
  return Buffer.concat([key, Buffer.of(0)])
}

function keyText(key: Uint8Array): string {
  return Buffer.from(key).toString('latin1')
}
