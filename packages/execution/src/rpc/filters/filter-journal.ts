/** Concurrent writes share a batch. */
import { bytesToHex, CodecError, hexToBytes, isHex, parseJsonArray, parseJsonObject } from '@keelson/primitives'
import type { KeyValueOp, KeyValueStore } from '@keelson/runtime'
import { filterKey, filterRange } from '../../chain/keys.ts'
import type { RpcOptions } from '../../options.ts'
import { type LogQuery, logQueryToJson, parseLogQuery } from '../eth/log-query.ts'
import { type Place, parsePlace } from './filter-cursor.ts'

export type FilterKind =
  | { readonly kind: 'logs'; readonly query: LogQuery }
  | { readonly kind: 'blocks' }
  | { readonly kind: 'transactions'; readonly full: boolean }

export interface StoredFilter {
  readonly what: FilterKind
  readonly unsure: readonly Place[]
  readonly sent: Place
}

export interface FilterJournal {
  /** Resolves when the filter survives a restart. */
  save(id: string, filter: StoredFilter): Promise<void>
  /** Takes effect with the next batch. If a crash brings the filter back, it expires later. */
  remove(id: string): void
  /** Also removes unreadable filters. */
  load(options: RpcOptions): Promise<ReadonlyMap<string, StoredFilter>>
  flush(): Promise<void>
}

const ID_BYTES = 16

export function createFilterJournal(store: KeyValueStore): FilterJournal {
  let waiting: KeyValueOp[] = []
  let group: Promise<void> | null = null
  let lastWrite: Promise<void> = Promise.resolve()

  const write = (): Promise<void> => {
    group ??= openGroup()
    return group
  }
  const openGroup = (): Promise<void> => {
    const done = lastWrite.then(() => {
      group = null
      const ops = waiting
      waiting = []
      return ops.length === 0 ? undefined : store.batch(ops)
    })
    lastWrite = done.catch(() => undefined)
    return done
  }
  return {
    save(id, filter) {
      waiting.push({ put: filterKey(hexToBytes(id)), value: encode(filter) })
      return write()
    },
    remove(id) {
      waiting.push({ del: filterKey(hexToBytes(id)) })
    },
    async load(options) {
      const found = new Map<string, StoredFilter>()
      for await (const [key, value] of store.range(...filterRange())) {
        const filter = decode(value, options)
        const id = bytesToHex(key.subarray(1))
        if (filter === null || !isHex(id, ID_BYTES) || found.size >= options.maxFilters) waiting.push({ del: key })
        else found.set(id, filter)
      }
      return found
    },
    flush: write,
  }
}

function encode({ what, unsure, sent }: StoredFilter): Uint8Array {
  const shown = what.kind === 'logs' ? { kind: what.kind, query: logQueryToJson(what.query) } : what
  return new TextEncoder().encode(JSON.stringify({ ...shown, unsure, sent }))
}

function decode(value: Uint8Array, options: RpcOptions): StoredFilter | null {
  try {
    const { kind, query, full, unsure, sent } = parseJsonObject(JSON.parse(new TextDecoder().decode(value)), 'filter')
    const places = { unsure: parseJsonArray(unsure, 'unsure', parsePlace), sent: parsePlace(sent) }
    if (kind === 'logs') return { what: { kind, query: parseLogQuery(query, options) }, ...places }
    if (kind === 'transactions') return { what: { kind, full: full === true }, ...places }
    return kind === 'blocks' ? { what: { kind }, ...places } : null
  } catch (error) {
    if (error instanceof CodecError || error instanceof SyntaxError) return null
    throw error
  }
}
