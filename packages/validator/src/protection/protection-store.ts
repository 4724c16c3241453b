import { attestationDigest } from '@keelson/contracts'
import { type Address, equalBytes } from '@keelson/primitives'
import type { KeyValueOp, KeyValueStore } from '@keelson/runtime'
import type { ProtectedChain } from './protected-chain.ts'
import {
  damagedProtection,
  decodeHeader,
  decodeMarks,
  decodeSigned,
  decodeStop,
  END_OF_KEYS,
  encodeHeader,
  encodeMarks,
  encodeSigned,
  encodeStop,
  FIRST_KEY,
  HEADER_KEY,
  type Header,
  keyOfMarks,
  type Marks,
  marksKey,
  type SignedRecord,
  STOP_KEY,
  signedKey,
} from './protection-records.ts'
import type { KeyRecord, StopRecord } from './slashing-protection.ts'

/** Newest epochs kept per key, for exports and restarts. */
export const KEPT_EPOCHS = 1024
const PRUNE_LIMIT = 256
const SYNC = { sync: true } as const

/** Every write is on disk when it resolves. */
export class ProtectionStore {
  readonly #store: KeyValueStore

  constructor(store: KeyValueStore) {
    this.#store = store
  }

  /** Throws ValidatorError `consensus/protection-damaged`. */
  header(): Header {
    const bytes = this.#store.getSync(HEADER_KEY)
    if (bytes === null) throw damagedProtection('it has no header')
    return decodeHeader(bytes)
  }

  marksOf(key: Address): Marks | null {
    const bytes = this.#store.getSync(marksKey(key))
    return bytes === null ? null : decodeMarks(bytes)
  }

  async keys(): Promise<readonly KeyRecord[]> {
    const keys: KeyRecord[] = []
    for await (const [stored, value] of this.#store.range(FIRST_KEY, END_OF_KEYS)) {
      keys.push({ key: keyOfMarks(stored), ...decodeMarks(value) })
    }
    return keys
  }

  /** Throws ValidatorError `consensus/protection-damaged` when the record does not match its digest. */
  signedFor(key: Address, epoch: number, chain: ProtectedChain): SignedRecord | null {
    const bytes = this.#store.getSync(signedKey(key, epoch))
    if (bytes === null) return null
    const record = decodeSigned(bytes)
    if (record.attestation.epoch !== epoch || !equalBytes(record.digest, attestationDigest(chain, chain.anchor, record.attestation))) {
      throw damagedProtection(`what ${key} signed for epoch ${epoch} does not match its digest`)
    }
    return record
  }

  async *allSigned(key: Address): AsyncGenerator<SignedRecord> {
    for await (const [, value] of this.#store.range(signedKey(key, 0), signedKey(key, Number.MAX_SAFE_INTEGER))) yield decodeSigned(value)
  }

  /** Records an attestation and drops old ones; the first binds the store to its chain. */
  async record(key: Address, chain: ProtectedChain, { watermark }: Marks, signed: SignedRecord): Promise<void> {
    const { epoch } = signed.attestation
    const ops = [
      ...this.#bindTo(chain),
      { put: signedKey(key, epoch), value: encodeSigned(signed) },
      { put: marksKey(key), value: encodeMarks({ watermark, newestEpoch: epoch }) },
      ...(await this.#outdated(key, epoch - KEPT_EPOCHS + 1)),
    ]
    await this.#store.batch(ops, SYNC)
  }

  /** Writes all or none; a store without a chain is bound to `chain`. */
  async setMarks(marks: Iterable<readonly [Address, Marks]>, chain: ProtectedChain | null = null): Promise<void> {
    const ops: KeyValueOp[] = chain === null ? [] : this.#bindTo(chain)
    for (const [key, value] of marks) ops.push({ put: marksKey(key), value: encodeMarks(value) })
    if (ops.length > 0) await this.#store.batch(ops, SYNC)
  }

  stopped(): StopRecord | null {
    const bytes = this.#store.getSync(STOP_KEY)
    return bytes === null ? null : decodeStop(bytes)
  }

  async setStop(stop: StopRecord | null): Promise<void> {
    await this.#store.batch([stop === null ? { del: STOP_KEY } : { put: STOP_KEY, value: encodeStop(stop) }], SYNC)
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  #bindTo(chain: ProtectedChain): KeyValueOp[] {
    const header = this.header()
    return header.chain === null ? [{ put: HEADER_KEY, value: encodeHeader({ ...header, chain }) }] : []
  }

  async #outdated(key: Address, below: number): Promise<KeyValueOp[]> {
    const ops: KeyValueOp[] = []
    if (below <= 0) return ops
    for await (const [del] of this.#store.range(signedKey(key, 0), signedKey(key, below), { limit: PRUNE_LIMIT })) ops.push({ del })
    return ops
  }
}

export async function initialiseProtectionStore(store: KeyValueStore, clock: { nowMs(): number }): Promise<void> {
  if (store.getSync(HEADER_KEY) !== null) return
  await store.batch([{ put: HEADER_KEY, value: encodeHeader({ createdMs: clock.nowMs(), chain: null }) }], SYNC)
}
