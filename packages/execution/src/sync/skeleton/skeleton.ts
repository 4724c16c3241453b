/**
 * Headers from the target of the consensus client down to a stored block. They are fetched downward, because only the hash of the
 * target is trusted; each is checked against its child.
 */
import type { Hash } from '@keelson/primitives'
import type { ChainReader, SealedHeader } from '../../chain/chain-reader.ts'
import type { PeerPool } from '../peers/peer-pool.ts'
import { headersBelow } from './headers-below.ts'
import type { RawHeader } from './raw-header.ts'
import type { Segment } from './segments.ts'
import type { SkeletonStore } from './skeleton-store.ts'

export interface SkeletonDependencies {
  readonly store: SkeletonStore
  readonly pool: PeerPool
  readonly chain: Pick<ChainReader, 'header' | 'genesis' | 'label'>
  isInvalid(hash: Hash): boolean
  /** A header that the consensus client has sent. */
  offered?(hash: Hash): RawHeader | null
  onHeaders?(segments: readonly Segment[]): void
}

export type Filled =
  | { readonly kind: 'linked'; readonly parent: SealedHeader }
  | { readonly kind: 'foreign'; readonly reason: string }
  | { readonly kind: 'invalid'; readonly ancestor: Hash }

/** Each is a range between two targets; the upper ones are small and are filled first. */
const MAX_SEGMENTS = 4
/** Headers to fetch at a time below the place where the chains were expected to join. */
const REORG_STEP = 512

export class Skeleton {
  readonly #deps: SkeletonDependencies

  constructor(deps: SkeletonDependencies) {
    this.#deps = deps
  }

  get segments(): readonly Segment[] {
    return this.#deps.store.segments
  }

  get head(): { readonly number: number; readonly hash: Hash } | null {
    const [top] = this.segments
    return top === undefined ? null : { number: top.head, hash: top.headHash }
  }

  header(number: number): RawHeader | null {
    return this.#deps.store.header(number)
  }

  /** Needs no peer; `fill` fetches what is missing below. */
  async setHead(target: RawHeader): Promise<void> {
    const { store } = this.#deps
    const { number, parentHash } = target.header
    const [top, ...rest] = this.segments
    if (top?.headHash === target.hash) return
    if (top?.headHash === parentHash) {
      await store.write([{ ...top, head: number, headHash: target.hash }, ...rest], [target])
      return
    }
    const holder = this.segments.find(({ head, tail }) => head >= number && tail <= number)
    const known = holder !== undefined && store.hashAt(number) === target.hash
    const below = this.#below(known ? number + 1 : number)
    if (top !== undefined && top.head > number) await store.remove(number + 1, top.head, below)
    if (known) return
    const segment: Segment = { head: number, headHash: target.hash, tail: number, tailParent: parentHash }
    const [newest, ...older] = below
    if (newest !== undefined && below.length === MAX_SEGMENTS) await store.remove(newest.tail, newest.head, older)
    await store.write([segment, ...(below.length === MAX_SEGMENTS ? older : below)], [target])
  }

  /** Fetches headers until the chain reaches a stored block. Rejects when `signal` aborts. */
  async fill(signal: AbortSignal): Promise<Filled> {
    const { chain, store, pool } = this.#deps
    for (;;) {
      signal.throwIfAborted()
      const [top, lower, ...rest] = this.segments
      if (top === undefined) return { kind: 'linked', parent: chain.label('unsafe') }
      const parent = chain.header(top.tailParent)
      if (parent !== null) {
        for (const [i, one] of this.segments.entries()) {
          if (i > 0) await store.remove(one.tail, one.head, [top])
        }
        return { kind: 'linked', parent: { hash: top.tailParent, header: parent } }
      }
      if (lower !== undefined && this.#joins(lower, top)) {
        await store.write([{ ...top, tail: lower.tail, tailParent: lower.tailParent }, ...rest])
        continue
      }
      const { genesis } = chain
      if (top.tail <= genesis.header.number + 1) {
        return { kind: 'foreign', reason: `block ${top.headHash} does not descend from the genesis block ${genesis.hash}` }
      }
      const offered = this.#deps.offered?.(top.tailParent) ?? null
      if (offered !== null) {
        const ancestor = await this.#lower([offered])
        if (ancestor !== null) return { kind: 'invalid', ancestor }
        continue
      }
      const range = { number: top.tail - 1, hash: top.tailParent, floor: this.#floor(top, lower) }
      for await (const headers of headersBelow(pool, range, signal)) {
        const ancestor = await this.#lower(headers)
        if (ancestor !== null) return { kind: 'invalid', ancestor }
        if (chain.header((this.segments[0] as Segment).tailParent) !== null) break
      }
    }
  }

  /** Deletes headers up to a block that is stored in the chain. */
  async consume(block: SealedHeader): Promise<void> {
    const bottom = this.segments.at(-1)
    if (bottom === undefined || block.header.number < bottom.tail) return
    const tail = block.header.number + 1
    const above = this.segments.slice(0, -1)
    const segments = tail > bottom.head ? above : [...above, { ...bottom, tail, tailParent: block.hash }]
    await this.#deps.store.remove(bottom.tail, Math.min(block.header.number, bottom.head), segments)
  }

  /** Call it before the first use. */
  tidy(): Promise<void> {
    return this.#deps.store.tidy()
  }

  async clear(): Promise<void> {
    for (let [top, ...rest] = this.segments; top !== undefined; [top, ...rest] = this.segments) {
      await this.#deps.store.remove(top.tail, top.head, rest)
    }
  }

  /** Where the chains should join: at the next segment or the chain's head. */
  #floor(top: Segment, lower: Segment | undefined): number {
    const genesis = this.#deps.chain.genesis.header.number
    const expected = lower?.head ?? this.#deps.chain.label('unsafe').header.number
    if (expected < top.tail - 1) return Math.max(genesis, expected) + 1
    return Math.max(genesis + 1, top.tail - REORG_STEP)
  }

  /** Returns the hash of an invalid block among the headers. */
  async #lower(headers: readonly RawHeader[]): Promise<Hash | null> {
    const { chain, isInvalid, store } = this.#deps
    let [top, lower, ...rest] = this.segments as readonly [Segment, ...Segment[]]
    const taken: RawHeader[] = []
    for (const one of headers) {
      if (chain.header(top.tailParent) !== null || (lower !== undefined && this.#joins(lower, top))) break
      if (isInvalid(one.hash)) return one.hash
      taken.push(one)
      top = { ...top, tail: one.header.number, tailParent: one.header.parentHash }
    }
    if (lower !== undefined) [lower, ...rest] = this.#below(top.tail)
    await store.write([top, ...(lower === undefined ? [] : [lower]), ...rest], taken)
    this.#deps.onHeaders?.(this.segments)
    return null
  }

  #joins(lower: Segment, top: Segment): boolean {
    const number = top.tail - 1
    return lower.tail <= number && number <= lower.head && this.#deps.store.hashAt(number) === top.tailParent
  }

  /** The parts of all segments below a number, without the one that ends in it from above. */
  #below(number: number): Segment[] {
    const { store } = this.#deps
    return this.segments
      .filter(({ tail }) => tail < number)
      .map((one) => (one.head < number ? one : { ...one, head: number - 1, headHash: store.hashAt(number - 1) }))
  }
}
