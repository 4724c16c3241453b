/** The ledger of a single process. Changes are on disk before the caller is answered. */
import {
  type BlockId,
  bigintToBytes,
  CodecError,
  concatBytes,
  decodeSignedPart,
  encodeSignedPart,
  type PayloadEnvelope,
  type PayloadVersion,
  parseHash,
  parseJsonInteger,
  parseJsonObject,
  payloadVersion,
  utf8ToBytes,
} from '@keelson/primitives'
import type { KeyValueOp, KeyValueStore } from '@keelson/runtime'
import { BUCKETS } from './buckets.ts'
import { ConductorError } from './errors.ts'
import { KEPT_PAYLOADS, type Lease, type Ledger } from './ports.ts'

const LEASE_KEY = Uint8Array.of(BUCKETS.lease)
const HEAD_KEY = Uint8Array.of(BUCKETS.head)

function payloadKey(number: number): Uint8Array {
  return concatBytes(Uint8Array.of(BUCKETS.payload), bigintToBytes(BigInt(number), 8))
}

/** Throws ConductorError `consensus/conductor` (critical) when the store is malformed. */
export function openDiskLedger(store: KeyValueStore): Ledger {
  let lease = readRecord(store, LEASE_KEY, 'who leads', ({ term, holder }): Lease | null =>
    typeof holder === 'string' ? { term: parseJsonInteger(term, 'term'), holder } : null,
  )
  let head = readRecord(
    store,
    HEAD_KEY,
    'the last recorded block',
    ({ number, hash }): BlockId => ({ number: parseJsonInteger(number, 'number'), hash: parseHash(hash, 'hash') }),
  )

  const write = (ops: readonly KeyValueOp[]) => store.batch(ops, { sync: true })
  const json = (key: Uint8Array, value: Lease | BlockId): KeyValueOp => ({ put: key, value: utf8ToBytes(JSON.stringify(value)) })

  const readPayload = (number: number): PayloadEnvelope | null => {
    if (head === null || number > head.number) return null
    const value = store.getSync(payloadKey(number))
    return value === null ? null : decodeSignedPart(value[0] as PayloadVersion, value.subarray(1))
  }

  const isNewest = (term: number) => term === (lease?.term ?? 0)

  return {
    get lease() {
      return lease
    },
    get head() {
      return head
    },
    blockAt(number) {
      const payload = readPayload(number)?.payload
      return payload === undefined ? null : { number, hash: payload.blockHash, parentHash: payload.parentHash }
    },
    payloadAt: async (number) => readPayload(number),
    refresh: async () => undefined,
    async grant(holder, term) {
      if (!isNewest(term)) return false
      const next = { term: term + 1, holder }
      await write([json(LEASE_KEY, next)])
      lease = next
      return true
    },
    async append(term, envelope) {
      const { blockNumber: number, blockHash: hash, parentHash } = envelope.payload
      if (!isNewest(term) || head?.number !== number - 1 || head.hash !== parentHash) return false
      const value = concatBytes(Uint8Array.of(payloadVersion(envelope.payload)), encodeSignedPart(envelope))
      const next = { number, hash }
      const oldest = number - KEPT_PAYLOADS
      await write([{ put: payloadKey(number), value }, json(HEAD_KEY, next), ...(oldest < 0 ? [] : [{ del: payloadKey(oldest) }])])
      head = next
      return true
    },
    async adopt(term, { number, hash }) {
      if (!isNewest(term)) return false
      const next = { number, hash }
      const ops: KeyValueOp[] = [json(HEAD_KEY, next)]
      const same = readPayload(number)?.payload.blockHash === hash
      for await (const [key] of store.range(payloadKey(same ? number + 1 : 0), payloadKey(Number.MAX_SAFE_INTEGER))) ops.push({ del: key })
      await write(ops)
      head = next
      return true
    },
  }
}

function readRecord<T>(
  store: KeyValueStore,
  key: Uint8Array,
  what: string,
  parse: (record: Readonly<Record<string, unknown>>) => T | null,
): T | null {
  const value = store.getSync(key)
  if (value === null) return null
  let record: T | null = null
  try {
    record = parse(parseJsonObject(JSON.parse(new TextDecoder().decode(value)), what))
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof CodecError)) throw error
  }
  if (record !== null) return record
  throw new ConductorError(
    'critical',
    `the conductor's record of ${what} cannot be read; stop all sequencers, and begin with an empty data directory`,
  )
}
