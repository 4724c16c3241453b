/** Headers and segments on disk, written together, so that a killed process resumes where it stopped. */
import { type Hash, ZERO_HASH } from '@keelson/primitives'
import type { KeyValueOp, KeyValueStore } from '@keelson/runtime'
import { syncHeaderKey, syncSegmentsKey } from '../../chain/keys.ts'
import { decodeRawHeader, type RawHeader } from './raw-header.ts'
import { decodeSegments, encodeSegments, type Segment } from './segments.ts'

const DELETED_PER_BATCH = 4_096

export class SkeletonStore {
  readonly #store: KeyValueStore
  #segments: readonly Segment[]

  constructor(store: KeyValueStore) {
    this.#store = store
    const raw = store.getSync(syncSegmentsKey())
    this.#segments = raw === null ? [] : decodeSegments(raw)
  }

  /** Highest first; they do not overlap. */
  get segments(): readonly Segment[] {
    return this.#segments
  }

  header(number: number): RawHeader | null {
    const raw = this.#store.getSync(syncHeaderKey(number))
    return raw === null ? null : decodeRawHeader(raw)
  }

  hashAt(number: number): Hash {
    return this.header(number)?.hash ?? ZERO_HASH
  }

  async write(segments: readonly Segment[], headers: readonly RawHeader[] = []): Promise<void> {
    await this.#batch(
      segments,
      headers.map(({ header, raw }) => ({ put: syncHeaderKey(header.number), value: raw })),
    )
  }

  async remove(from: number, to: number, segmentsAfter: readonly Segment[]): Promise<void> {
    let ops: KeyValueOp[] = []
    for (let number = from; number <= to; number++) {
      ops.push({ del: syncHeaderKey(number) })
      if (ops.length < DELETED_PER_BATCH) continue
      await this.#batch(segmentsAfter, ops)
      ops = []
    }
    await this.#batch(segmentsAfter, ops)
  }

  /** Deletes headers outside of the segments, which a kill during `remove` leaves behind. */
  async tidy(): Promise<void> {
    const [top] = this.#segments
    const outside = [
      [0, this.#segments.at(-1)?.tail ?? Number.MAX_SAFE_INTEGER],
      ...(top === undefined ? [] : [[top.head + 1, Number.MAX_SAFE_INTEGER]]),
    ] as const
    for (const [from, to] of outside) {
      let ops: KeyValueOp[] = []
      for await (const [del] of this.#store.range(syncHeaderKey(from as number), syncHeaderKey(to as number))) {
        if (ops.push({ del }) < DELETED_PER_BATCH) continue
        await this.#store.batch(ops)
        ops = []
      }
      if (ops.length > 0) await this.#store.batch(ops)
    }
  }

  async #batch(segments: readonly Segment[], ops: readonly KeyValueOp[]): Promise<void> {
    await this.#store.batch([...ops, { put: syncSegmentsKey(), value: encodeSegments(segments) }])
    this.#segments = segments
  }
}
