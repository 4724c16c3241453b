import {
  bytesToNumber,
  concatBytes,
  decodeSignedPart,
  encodeSignedPart,
  type Hash,
  hexToBytes,
  keccak256,
  numberToBytes,
  type PayloadEnvelope,
  type PayloadVersion,
  payloadVersion,
  toHash,
} from '@keelson/primitives'
import type { KeyValueOp, KeyValueStore } from '@keelson/runtime'
import { blockPlaceOf } from '../blocks/block-place.ts'
import { BUCKETS } from '../store/buckets.ts'

/** `height-unknown`: another node may have signed at this height with this key, or the record does not go back that far. */
export type SigningVerdict = 'granted' | 'another-signed' | 'height-unknown'

/**
 * Signed blocks, on disk before each signature, so that no two are signed at one place. The last payloads are kept, to resume a
 * block that the execution client lost.
 */
export interface SigningRecord {
  /**
   * With `durable` false the write is not synced, so the block must not be signed. Throws what the store throws.
   */
  admit(envelope: PayloadEnvelope, durable?: boolean): Promise<SigningVerdict>
  /**
   * Notes a block of the chain. If this node did not build it, another holder of the key may have signed blocks up to the current
   * time, so this node signs none of these heights. Genesis is an exception.
   */
  others(number: number, hash: Hash): Promise<void>
  signedOn(parent: { readonly number: number; readonly hash: Hash }): Promise<readonly PayloadEnvelope[]>
}

export interface SigningHeights {
  readonly genesis: number
  /** Number of the block due in `aheadMs`. */
  dueIn(aheadMs: number): number
}

/** Peers reject blocks further ahead of the clock. */
const BELIEVED_AHEAD_MS = 5_000
const MAX_UNSIGNED = 1_024
/** Two days of blocks at two seconds; derivation never goes back that far. */
const KEPT_HEIGHTS = 86_400
/** An execution client that lost more blocks than this was restored from a backup, not killed. */
const KEPT_PAYLOADS = 32
const KEPT_PAYLOAD_BYTES = 64 * 1024 * 1024
const PRUNE_LIMIT = 1_000

interface KeptPayload {
  readonly key: Uint8Array
  readonly bytes: number
}

export function createSigningRecord(store: KeyValueStore, heights: SigningHeights): SigningRecord {
  let top: number | null = null
  let floor = -1
  /** Own unsigned blocks: nobody else signed at their heights. */
  const unsigned = new Set<Hash>()
  let payloads: KeptPayload[] = []
  let loading: Promise<void> | null = null
  let turn: Promise<unknown> = Promise.resolve()

  const heightKey = (bucket: number, number: number) => concatBytes(Uint8Array.of(bucket), numberToBytes(number, 8))
  const placeKey = (number: number, place: Uint8Array) => concatBytes(heightKey(BUCKETS.signedPlace, number), place)
  const payloadKey = (number: number, hash: Hash) => concatBytes(heightKey(BUCKETS.signedPayload, number), hexToBytes(hash))
  const end = (bucket: number) => Uint8Array.of(bucket + 1)

  async function load(): Promise<void> {
    payloads = []
    const first = Uint8Array.of(BUCKETS.signedPlace)
    for await (const [key] of store.range(first, end(BUCKETS.signedPlace), { reverse: true, limit: 1 })) top = heightOf(key)
    for await (const [key, value] of store.range(Uint8Array.of(BUCKETS.signedPayload), end(BUCKETS.signedPayload))) {
      payloads.push({ key, bytes: value.length })
    }
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(async () => {
      loading ??= load().catch((error: unknown) => {
        loading = null
        throw error
      })
      await loading
      return work()
    })
    turn = mine.catch(() => undefined)
    return mine
  }

  async function outdated(number: number, incoming: KeptPayload): Promise<{ ops: KeyValueOp[]; left: KeptPayload[] }> {
    const ops: KeyValueOp[] = []
    if (number > KEPT_HEIGHTS) {
      const [from, to] = [heightKey(BUCKETS.signedPlace, 0), heightKey(BUCKETS.signedPlace, number - KEPT_HEIGHTS)]
      for await (const [del] of store.range(from, to, { limit: PRUNE_LIMIT })) ops.push({ del })
    }
    const left = [...payloads, incoming].sort((a, b) => heightOf(a.key) - heightOf(b.key))
    let bytes = left.reduce((sum, one) => sum + one.bytes, 0)
    for (let oldest = left[0]; oldest !== undefined && left.length > 1; oldest = left[0]) {
      if (heightOf(oldest.key) > number - KEPT_PAYLOADS && bytes <= KEPT_PAYLOAD_BYTES) break
      bytes -= oldest.bytes
      ops.push({ del: oldest.key })
      left.shift()
    }
    return { ops, left }
  }

  function remember(hash: Hash): void {
    unsigned.add(hash)
    if (unsigned.size > MAX_UNSIGNED) unsigned.delete(unsigned.values().next().value as Hash)
  }

  async function knows(number: number, hash: Hash): Promise<boolean> {
    const wanted = hexToBytes(hash).join()
    const range = store.range(heightKey(BUCKETS.signedPlace, number), heightKey(BUCKETS.signedPlace, number + 1))
    for await (const [, value] of range) if (value.join() === wanted) return true
    return false
  }

  return {
    admit: (envelope, durable = true) =>
      inTurn(async () => {
        const { blockNumber: number, blockHash } = envelope.payload
        remember(blockHash)
        const place = blockPlaceOf(envelope)
        const { parentHash, sourceHash } = place ?? { parentHash: envelope.payload.parentHash, sourceHash: null }
        const source = sourceHash === null ? new Uint8Array(32) : hexToBytes(sourceHash)
        const key = placeKey(number, keccak256(concatBytes(hexToBytes(parentHash), source)))
        const signed = store.getSync(key)
        if (signed !== null) return toHash(signed) === blockHash ? 'granted' : 'another-signed'
        if (number <= floor || number <= (top ?? 0) - KEPT_HEIGHTS) return 'height-unknown'
        const value = concatBytes(Uint8Array.of(payloadVersion(envelope.payload)), encodeSignedPart(envelope))
        const payload = { key: payloadKey(number, blockHash), bytes: value.length }
        const { ops, left } = await outdated(number, payload)
        await store.batch([...ops, { put: key, value: hexToBytes(blockHash) }, { put: payload.key, value }], { sync: durable })
        payloads = left
        top = Math.max(top ?? number, number)
        unsigned.delete(blockHash)
        return 'granted'
      }),
    others: (number, hash) =>
      inTurn(async () => {
        if (number === heights.genesis || (await knows(number, hash))) return
        floor = Math.max(floor, number, unsigned.has(hash) ? number : heights.dueIn(BELIEVED_AHEAD_MS))
      }),
    async signedOn({ number, hash }) {
      await inTurn(async () => undefined)
      if (top === null || top <= number) return []
      const found: PayloadEnvelope[] = []
      const range = store.range(heightKey(BUCKETS.signedPayload, number + 1), heightKey(BUCKETS.signedPayload, number + 2))
      for await (const [, value] of range) {
        const envelope = decodeSignedPart(value[0] as PayloadVersion, value.slice(1))
        if (envelope.payload.parentHash === hash) found.push(envelope)
      }
      return found
    },
  }
}

function heightOf(key: Uint8Array): number {
  return bytesToNumber(key.subarray(1, 9))
}
