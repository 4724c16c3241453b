/** Blocks with their receipts in order, fetched ahead by several requests at a time. Nothing is executed. */
import type { ChainRules } from '../../chain-rules.ts'
import { bodiesOf } from '../bodies/body-requests.ts'
import type { FetchedBlock } from '../bodies/fetched-block.ts'
import type { PeerPool, PeerRequest } from '../peers/peer-pool.ts'
import type { RawHeader } from '../skeleton/raw-header.ts'
import { type FetchedReceipts, receiptsOf } from './receipt-requests.ts'

export interface FetchedRecord {
  readonly block: FetchedBlock
  readonly receipts: FetchedReceipts
}

export interface BlockRecordsDependencies {
  readonly pool: PeerPool
  readonly rules: Pick<ChainRules, 'rulesAt'>
  header(number: number): RawHeader | null
}

const BLOCKS_PER_BATCH = 128
/** Bounds memory, as in `bodies/block-stream.ts`. */
const GAS_PER_BATCH = 24_000_000n
const MAX_BATCHES = 4

/** Yields the blocks `from` to `to` in batches. Rejects when `signal` aborts. */
export async function* blockRecords(
  deps: BlockRecordsDependencies,
  { from, to }: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): AsyncGenerator<readonly FetchedRecord[]> {
  const over = new AbortController()
  const within = AbortSignal.any([signal, over.signal])
  const ahead: Promise<readonly FetchedRecord[]>[] = []
  let next = from
  const request = () => {
    while (ahead.length < MAX_BATCHES && next <= to) {
      const headers = takeHeaders(deps, next, to)
      const batch = fetchRecords(deps, headers, within)
      batch.catch(() => undefined)
      ahead.push(batch)
      next += headers.length
    }
  }
  try {
    request()
    for (let batch = ahead.shift(); batch !== undefined; batch = ahead.shift()) {
      const records = await batch
      request()
      yield records
    }
  } finally {
    over.abort()
  }
}

function takeHeaders({ header }: BlockRecordsDependencies, from: number, to: number): readonly RawHeader[] {
  const headers: RawHeader[] = []
  let gas = 0n
  while (headers.length < BLOCKS_PER_BATCH && gas < GAS_PER_BATCH && from + headers.length <= to) {
    const one = header(from + headers.length)
    if (one === null) break
    headers.push(one)
    gas += one.header.gasUsed
  }
  if (headers.length === 0) throw new RangeError(`header ${from} is not in the skeleton`)
  return headers
}

async function fetchRecords(
  { pool, rules }: BlockRecordsDependencies,
  headers: readonly RawHeader[],
  signal: AbortSignal,
): Promise<readonly FetchedRecord[]> {
  const [blocks, receipts] = await Promise.all([
    fetchAll(pool, headers, (some) => bodiesOf(some, rules), signal),
    fetchAll(pool, headers, receiptsOf, signal),
  ])
  return blocks.map((block, i) => ({ block, receipts: receipts[i] as FetchedReceipts }))
}

/** A response may hold less than was asked for. */
async function fetchAll<T>(
  pool: PeerPool,
  headers: readonly RawHeader[],
  requestFor: (some: readonly RawHeader[]) => PeerRequest<readonly Uint8Array[], readonly T[]>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const all: T[] = []
  while (all.length < headers.length) all.push(...(await pool.request(requestFor(headers.slice(all.length)), signal)).value)
  return all
}
