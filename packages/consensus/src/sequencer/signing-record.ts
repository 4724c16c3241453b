/**
 * What this sequencer has signed, on disk before a signature leaves: never two blocks for one place. The last signed
 * blocks are kept whole, so that one the execution client lost is taken up again rather than built a second time.
 */
import {
  bytesToNumber,
  concatBytes,
  type Hash,
  hexToBytes,
  keccak256,
  numberToBytes,
  type PayloadEnvelope,
  toHash,
} from '@keelson/primitives'
import type { KeyValueOp, KeyValueStore } from '@keelson/runtime'
import { blockPlaceOf } from '../blocks/block-place.ts'
import { decodeSignedPart, encodeSignedPart } from '../p2p/gossip/block-message.ts'
import { type PayloadVersion, payloadVersion } from '../p2p/gossip/ssz-payload.ts'
import { BUCKETS } from '../store/buckets.ts'

/**
 * `granted`: sign it. `another-signed`: this node signed another block for this place. `height-unknown`: blocks of this
 * height were signed that this record knows nothing of, by another with the same key or before the record began.
 */
export type SigningVerdict = 'granted' | 'another-signed' | 'height-unknown'

export interface SigningRecord {
  /** Resolves to `granted` only when the disk has it; the same block is granted again. Throws what the store throws. */
  admit(envelope: PayloadEnvelope): Promise<SigningVerdict>
  /** Blocks up to this one are on the chain: those the record does not know are others' work, and their heights are never signed. */
  others(number: number, hash: Hash): Promise<void>
  /** Signed blocks on a parent that are still kept whole, the last signed one first. */
  signedOn(parent: { readonly number: number; readonly hash: Hash }): Promise<readonly PayloadEnvelope[]>
}

/** Two days of blocks at two seconds: deeper than derivation's window ever goes back. */
const KEPT_HEIGHTS = 86_400
/** An execution client that loses more than this was not killed but restored from elsewhere. */
const KEPT_PAYLOADS = 32
const KEPT_PAYLOAD_BYTES = 64 * 1024 * 1024
const PRUNE_LIMIT = 1_000

interface KeptPayload {
  readonly key: Uint8Array
  readonly bytes: number
}

export function createSigningRecord(store: KeyValueStore): SigningRecord {
  /** Highest height that was signed; null when none was. */
  let top: number | null = null
  /** At and below this height nothing is signed. */
  let floor = -1
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

  /** In turn, so that of two blocks for one place the second sees the first. */
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

  /** What to forget when a block of this height comes in. */
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

  async function knows(number: number, hash: Hash): Promise<boolean> {
    const wanted = hexToBytes(hash).join()
    const range = store.range(heightKey(BUCKETS.signedPlace, number), heightKey(BUCKETS.signedPlace, number + 1))
    for await (const [, value] of range) if (value.join() === wanted) return true
    return false
  }

  return {
    admit: (envelope) =>
      inTurn(async () => {
        const { blockNumber: number, blockHash } = envelope.payload
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
        await store.batch([...ops, { put: key, value: hexToBytes(blockHash) }, { put: payload.key, value }], { sync: true })
        payloads = left
        top = Math.max(top ?? number, number)
        return 'granted'
      }),
    others: (number, hash) =>
      inTurn(async () => {
        if (number > floor && !(await knows(number, hash))) floor = number
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
