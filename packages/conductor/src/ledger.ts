/** The leader, its term and the recorded blocks. Changes are on disk before the caller is answered. */
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
  parseJsonObject,
  payloadVersion,
  utf8ToBytes,
} from '@keelson/primitives'
import type { KeyValueOp, KeyValueStore } from '@keelson/runtime'
import { BUCKETS } from './buckets.ts'
import { ConductorError } from './errors.ts'

export interface Lease {
  /** The holder of an older term has no rights. */
  readonly term: number
  readonly holder: string
}

export interface Ledger {
  readonly lease: Lease | null
  readonly head: BlockId | null
  /** Null if the block is not recorded or no longer kept. */
  payloadAt(number: number): PayloadEnvelope | null
  grant(holder: string): Promise<Lease>
  /** Does not check that the block follows `head`. */
  append(envelope: PayloadEnvelope): Promise<void>
  /** Makes another block the head. Keeps the blocks below it if they are its ancestors. */
  adopt(head: BlockId): Promise<void>
}

const LEASE_KEY = Uint8Array.of(BUCKETS.lease)
const HEAD_KEY = Uint8Array.of(BUCKETS.head)
/** About half an hour of blocks, to bring candidates up to date. */
export const KEPT_PAYLOADS = 1_024

function payloadKey(number: number): Uint8Array {
  return concatBytes(Uint8Array.of(BUCKETS.payload), bigintToBytes(BigInt(number), 8))
}

/** Throws ConductorError `consensus/conductor` (critical) when the store is malformed. */
export function openLedger(store: KeyValueStore): Ledger {
  let lease = readRecord(store, LEASE_KEY, 'who leads', ({ term, holder }): Lease | null =>
    typeof term === 'number' && typeof holder === 'string' ? { term, holder } : null,
  )
  let head = readRecord(store, HEAD_KEY, 'the last recorded block', ({ number, hash }): BlockId | null =>
    typeof number === 'number' ? { number, hash: parseHash(hash, 'hash') } : null,
  )

  const write = (ops: readonly KeyValueOp[]) => store.batch(ops, { sync: true })
  const json = (key: Uint8Array, value: Lease | BlockId): KeyValueOp => ({ put: key, value: utf8ToBytes(JSON.stringify(value)) })

  const payloadAt = (number: number): PayloadEnvelope | null => {
    if (head === null || number > head.number) return null
    const value = store.getSync(payloadKey(number))
    return value === null ? null : decodeSignedPart(value[0] as PayloadVersion, value.subarray(1))
  }

  return {
    get lease() {
      return lease
    },
    get head() {
      return head
    },
    payloadAt,
    async grant(holder) {
      const next = { term: (lease?.term ?? 0) + 1, holder }
      await write([json(LEASE_KEY, next)])
      lease = next
      return next
    },
    async append(envelope) {
      const { blockNumber: number, blockHash: hash } = envelope.payload
      const value = concatBytes(Uint8Array.of(payloadVersion(envelope.payload)), encodeSignedPart(envelope))
      const next = { number, hash }
      const oldest = number - KEPT_PAYLOADS
      await write([{ put: payloadKey(number), value }, json(HEAD_KEY, next), ...(oldest < 0 ? [] : [{ del: payloadKey(oldest) }])])
      head = next
    },
    async adopt({ number, hash }) {
      const next = { number, hash }
      const ops: KeyValueOp[] = [json(HEAD_KEY, next)]
      const same = payloadAt(number)?.payload.blockHash === hash
      for await (const [key] of store.range(payloadKey(same ? number + 1 : 0), payloadKey(Number.MAX_SAFE_INTEGER))) ops.push({ del: key })
      await write(ops)
      head = next
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
