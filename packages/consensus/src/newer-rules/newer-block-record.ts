import {
  CodecError,
  concatBytes,
  decodeSignedPart,
  describePayloadMismatch,
  encodeSignedPart,
  type PayloadEnvelope,
  type PayloadVersion,
  payloadMismatch,
  payloadVersion,
} from '@keelson/primitives'
import type { KeyValueStore } from '@keelson/runtime'
import { BUCKETS } from '../store/buckets.ts'
import type { SignedConflict, UnreadableBlock } from './signed-conflict.ts'

export type StoredBlock =
  | { readonly kind: 'readable'; readonly envelope: PayloadEnvelope }
  | { readonly kind: 'unreadable'; readonly block: UnreadableBlock }

/** The signed block before which derivation stopped. Its signature was verified before it was written. */
export interface NewerBlockRecord {
  write(conflict: SignedConflict): Promise<void>
  read(): StoredBlock | null
  remove(): Promise<void>
}

const KEY = Uint8Array.of(BUCKETS.newerBlock)

export function createNewerBlockRecord(store: KeyValueStore): NewerBlockRecord {
  return {
    async write({ signed, envelope }) {
      const { version, signedPart } = signed ?? signedBytesOf(envelope as PayloadEnvelope)
      await store.batch([{ put: KEY, value: concatBytes(Uint8Array.of(version), signedPart) }], { sync: true })
    },
    read() {
      const value = store.getSync(KEY)
      return value === null ? null : readStored(value[0] as PayloadVersion, value.subarray(1))
    },
    remove: () => store.batch([{ del: KEY }], { sync: true }),
  }
}

function signedBytesOf(envelope: PayloadEnvelope) {
  return { version: payloadVersion(envelope.payload), signedPart: encodeSignedPart(envelope) }
}

function readStored(version: PayloadVersion, signedPart: Uint8Array): StoredBlock {
  const unreadable = (envelope: PayloadEnvelope | null, problem: string): StoredBlock => ({
    kind: 'unreadable',
    block: { version, signedPart, envelope, problem },
  })
  try {
    const envelope = decodeSignedPart(version, signedPart)
    const mismatch = payloadMismatch(envelope.payload, envelope.parentBeaconBlockRoot)
    return mismatch === null ? { kind: 'readable', envelope } : unreadable(envelope, describePayloadMismatch(mismatch, envelope.payload))
  } catch (error) {
    if (error instanceof CodecError) return unreadable(null, error.message)
    throw error
  }
}
