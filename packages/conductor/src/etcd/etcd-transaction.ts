/** Compares, reads and writes of one etcd transaction, and its answer. */
import { ConductorError } from '../errors.ts'
import { type EtcdCall, type EtcdClient, isObject, type JsonObject } from './etcd-client.ts'

const base64 = (value: Uint8Array | string) => Buffer.from(value).toString('base64')

/** The end of the keys that begin with `prefix`, which ends in an ASCII character. */
export function prefixEnd(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)
}

export const compare = {
  absent: (key: string) => ({ target: 'CREATE', result: 'EQUAL', key: base64(key), create_revision: '0' }),
  value: (key: string, value: string) => ({ target: 'VALUE', result: 'EQUAL', key: base64(key), value: base64(value) }),
  modified: (key: string, revision: string) => ({ target: 'MOD', result: 'EQUAL', key: base64(key), mod_revision: revision }),
} as const

export const operation = {
  put: (key: string, value: Uint8Array | string, lease?: string) => ({
    request_put: { key: base64(key), value: base64(value), ...(lease === undefined ? {} : { lease }) },
  }),
  get: (key: string) => ({ request_range: { key: base64(key) } }),
  getRange: (from: string, to: string, limit: number) => ({
    request_range: { key: base64(from), range_end: base64(to), limit: String(limit) },
  }),
  /** As `getRange`, with empty values. */
  getNames: (from: string, to: string, limit: number) => ({
    request_range: { key: base64(from), range_end: base64(to), limit: String(limit), keys_only: true },
  }),
  remove: (key: string) => ({ request_delete_range: { key: base64(key) } }),
  removeRange: (from: string, to: string) => ({ request_delete_range: { key: base64(from), range_end: base64(to) } }),
} as const

export interface Entry {
  readonly key: string
  readonly value: Uint8Array
  readonly revision: string
}

export interface TransactionAnswer {
  readonly succeeded: boolean
  /** Revision of the whole store after the transaction. */
  readonly revision: bigint
  /** One list for each operation; empty for a write. */
  readonly entries: readonly (readonly Entry[])[]
}

/** `then` happens when all of `when` hold, and as a whole. */
export async function transact(client: EtcdClient, when: readonly JsonObject[], then: readonly JsonObject[]): Promise<TransactionAnswer> {
  const answer = await client.call('kv/txn', { compare: when, success: then, failure: [] })
  const responses = Array.isArray(answer.responses) ? answer.responses : []
  return { succeeded: answer.succeeded === true, revision: revisionOf('kv/txn', answer), entries: responses.map(entriesOf) }
}

export function revisionOf(call: EtcdCall, { header }: JsonObject): bigint {
  const revision = isObject(header) ? header.revision : undefined
  if (typeof revision === 'string' && /^\d{1,19}$/.test(revision)) return BigInt(revision)
  throw new ConductorError('temporary', `etcd answered ${call} without a revision`)
}

function entriesOf(response: unknown): Entry[] {
  const range = isObject(response) ? response.response_range : undefined
  const kvs = isObject(range) && Array.isArray(range.kvs) ? range.kvs : []
  return kvs.map((kv: unknown) => {
    if (!isObject(kv) || typeof kv.key !== 'string' || typeof kv.mod_revision !== 'string')
      throw new ConductorError('temporary', 'etcd answered a read without keys and revisions')
    const value = typeof kv.value === 'string' ? new Uint8Array(Buffer.from(kv.value, 'base64')) : new Uint8Array()
    return { key: Buffer.from(kv.key, 'base64').toString('utf8'), value, revision: kv.mod_revision }
  })
}
