/** A transaction of etcd, as its JSON gateway reads and answers it. */
import { EtcdFault, INVALID_ARGUMENT, NOT_FOUND } from './etcd-fault.ts'
import type { EtcdState } from './etcd-state.ts'

export type Json = Readonly<Record<string, unknown>>

const text = (base64: unknown) => Buffer.from(String(base64), 'base64').toString()
const base64 = (value: Uint8Array | string) => Buffer.from(value).toString('base64')

/** Applies all operations or none; `observe` gets them before. Throws EtcdFault. */
export function applyTransaction(
  state: EtcdState,
  { compare, success, failure }: Json,
  observe: (operations: readonly Json[]) => void,
): Json {
  const succeeded = listOf(compare).every((one) => holds(state, one))
  const operations = listOf(succeeded ? success : failure)
  for (const { request_put: put } of operations) {
    const lease = (put as Json | undefined)?.lease
    if (lease !== undefined && !state.leases.has(String(lease))) throw new EtcdFault(NOT_FOUND, 'etcdserver: requested lease not found')
  }
  observe(operations)
  const revision = state.revision + 1
  let changes = false
  const responses = operations.map((operation): Json => {
    const range = operation.request_range as Json | undefined
    if (range !== undefined) return { response_range: { kvs: read(state, range) } }
    changes = write(state, operation, revision) || changes
    return operation.request_put === undefined ? { response_delete_range: {} } : { response_put: {} }
  })
  if (changes) state.revision = revision
  return { ...(succeeded ? { succeeded } : {}), responses }
}

/** Keys and values of a request for a range, or for one key. */
export function read(state: EtcdState, { key, range_end: end, limit, keys_only: keysOnly }: Json): readonly Json[] {
  const from = text(key)
  const most = limit === undefined || limit === '0' ? Number.POSITIVE_INFINITY : Number(limit)
  const names = end === undefined ? [from] : state.range(from, text(end), most)
  return names.flatMap((name): Json[] => {
    const entry = state.get(name)
    if (entry === null) return []
    const revisions = { create_revision: String(entry.createRevision), mod_revision: String(entry.modRevision) }
    return [{ key: base64(name), ...revisions, ...(keysOnly === true ? {} : { value: base64(entry.value) }) }]
  })
}

function holds(state: EtcdState, { target, result, key, ...expected }: Json): boolean {
  if (result !== 'EQUAL') throw new EtcdFault(INVALID_ARGUMENT, `the comparison ${result} is not simulated`)
  const entry = state.get(text(key))
  if (target === 'CREATE') return String(entry?.createRevision ?? 0) === expected.create_revision
  if (target === 'MOD') return String(entry?.modRevision ?? 0) === expected.mod_revision
  if (target === 'VALUE') return entry !== null && base64(entry.value) === expected.value
  throw new EtcdFault(INVALID_ARGUMENT, `the comparison of ${target} is not simulated`)
}

/** Returns whether it changed anything. */
function write(state: EtcdState, { request_put: put, request_delete_range: removal }: Json, revision: number): boolean {
  if (put !== undefined) {
    const { key, value, lease } = put as Json
    state.put(text(key), new Uint8Array(Buffer.from(String(value ?? ''), 'base64')), lease === undefined ? null : String(lease), revision)
    return true
  }
  if (removal === undefined) throw new EtcdFault(INVALID_ARGUMENT, 'the operation is not simulated')
  const { key, range_end: end } = removal as Json
  const names = end === undefined ? [text(key)] : state.range(text(key), text(end))
  return names.filter((name) => state.remove(name)).length > 0
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : []
}
