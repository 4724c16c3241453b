/** Each poll reads the changes from the chain, so a filter is exact across restarts and reorgs. */
import { type Hash, parseHash, parseJsonInteger, parseJsonObject } from '@keelson/primitives'
import type { ChainReader, SealedHeader } from '../../chain/chain-reader.ts'
import type { RpcOptions } from '../../options.ts'
import type { Json } from '../block-json.ts'
import { type LogQuery, logsOfBlock, mostBlocks, scanLogs } from '../eth/log-query.ts'

export interface Place {
  readonly hash: Hash
  readonly number: number
}

export interface Cursor {
  readonly sent: Place
  /** Other positions that the client may be at: a response may have been lost before a restart. */
  readonly unsure: readonly Place[]
}

export interface Changes<T> {
  readonly items: readonly T[]
  readonly place: Place
}

const MAX_HASHES = 10_000
const ATTEMPTS = 3

interface News {
  readonly removed: readonly SealedHeader[]
  readonly from: number
}

function newsSince(chain: ChainReader, { sent, unsure }: Cursor): News | null {
  const left = new Map<Hash, SealedHeader>()
  let shared = sent.number
  // Report the removed and the new blocks relative to every possible position.
  for (const place of [...unsure, sent]) {
    const way = wayBack(chain, place)
    if (way === null) return null
    for (const block of way.left) left.set(block.hash, block)
    shared = Math.min(shared, way.ancestor)
  }
  const removed = [...left.values()].sort((a, b) => a.header.number - b.header.number)
  return { removed, from: shared + 1 }
}

function wayBack(chain: ChainReader, place: Place): { readonly left: readonly SealedHeader[]; readonly ancestor: number } | null {
  const left: SealedHeader[] = []
  let hash = place.hash
  for (;;) {
    const header = chain.header(hash)
    if (header === null) return null
    if (chain.isCanonical({ hash, header })) return { left, ancestor: header.number }
    left.push({ hash, header })
    hash = header.parentHash
  }
}

export function blockChanges(chain: ChainReader, cursor: Cursor): Changes<Hash> | null {
  const news = newsSince(chain, cursor)
  if (news === null) return null
  const head = chain.label('unsafe')
  const to = Math.min(head.header.number, news.from + MAX_HASHES - 1)
  const items: Hash[] = []
  for (let number = news.from; number <= to; number++) items.push(chain.canonicalHash(number) as Hash)
  return { items, place: placeAt(chain, to) }
}

/** Returns removed logs first, and in total about `maxLogResults` at most. Null when the filter must be dropped. */
export async function logChanges(
  chain: ChainReader,
  query: LogQuery,
  cursor: Cursor,
  options: RpcOptions,
  signal?: AbortSignal,
): Promise<Changes<Json> | null> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const news = newsSince(chain, cursor)
    if (news === null) return null
    const changes = await readLogs(chain, query, news, options, signal)
    if (chain.canonicalHash(changes.place.number) === changes.place.hash) return changes
  }
  return { items: [], place: cursor.sent }
}

async function readLogs(
  chain: ChainReader,
  { criteria, range }: LogQuery,
  { removed, from }: News,
  options: RpcOptions,
  signal?: AbortSignal,
): Promise<Changes<Json>> {
  const head = chain.label('unsafe').header.number
  if ('blockHash' in range) return { items: [], place: placeAt(chain, head) }
  const lowest = range.from.kind === 'number' ? range.from.number : 0
  const highest = range.to.kind === 'number' ? range.to.number : Number.MAX_SAFE_INTEGER
  const first = Math.max(from, lowest)
  const last = Math.min(head, first + mostBlocks(chain, criteria, first, options) - 1)
  const place = placeAt(chain, Math.max(last, Math.min(from - 1, head)))
  const items = removed
    .filter(({ header }) => header.number >= lowest && header.number <= highest)
    .flatMap((block) => logsOfBlock(chain, block, criteria, true))
  let found = 0
  if (first > Math.min(last, highest)) return { items, place }
  for await (const { number, logs } of scanLogs(chain, criteria, first, Math.min(last, highest), signal)) {
    if (found > 0 && found + logs.length > options.maxLogResults) return { items, place: placeAt(chain, number - 1) }
    found += logs.length
    items.push(...logs)
  }
  return { items, place }
}

function placeAt(chain: ChainReader, number: number): Place {
  return { number, hash: chain.canonicalHash(number) as Hash }
}

export function headPlace(chain: ChainReader): Place {
  const { hash, header } = chain.label('unsafe')
  return { hash, number: header.number }
}

export function parsePlace(value: unknown): Place {
  const { hash, number } = parseJsonObject(value, 'place')
  return { hash: parseHash(hash), number: parseJsonInteger(number) }
}
