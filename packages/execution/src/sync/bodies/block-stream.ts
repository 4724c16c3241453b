/** Blocks of the skeleton in order, fetched ahead by several requests at a time. */
import type { Hash } from '@keelson/primitives'
import type { ChainRules } from '../../chain-rules.ts'
import type { CoveredBlock } from '../../import/covered-block.ts'
import type { PeerPool } from '../peers/peer-pool.ts'
import type { RawHeader } from '../skeleton/raw-header.ts'
import { bodiesOf } from './body-requests.ts'
import type { FetchedBlock } from './fetched-block.ts'

export interface BlockStreamDependencies {
  readonly pool: PeerPool
  readonly rules: Pick<ChainRules, 'rulesAt'>
  header(number: number): RawHeader | null
  /** A block that the consensus client has sent. */
  offered(hash: Hash): CoveredBlock | null
}

interface Batch {
  readonly headers: readonly RawHeader[]
  readonly blocks: Promise<readonly FetchedBlock[]>
}

const BLOCKS_PER_REQUEST = 128
/** Bounds memory: each holds at most one response, whose size the network limits. */
const MAX_BATCHES = 6
/** Limits the gas in the blocks of one request: servers stop at 2 MiB, and a byte of calldata takes 16 gas, or 4 if it is zero. */
const GAS_PER_REQUEST = 24_000_000n

export class BlockStream {
  readonly #deps: BlockStreamDependencies
  readonly #over = new AbortController()
  readonly #signal: AbortSignal
  #batches: Batch[] = []
  #ready: FetchedBlock[] = []
  #next: number

  constructor(deps: BlockStreamDependencies, from: number, signal: AbortSignal) {
    this.#deps = deps
    this.#next = from
    this.#signal = AbortSignal.any([signal, this.#over.signal])
  }

  /** The next block. `skeletonHead` is not below it. Rejects when the signal aborts, or after `close`. */
  async take(skeletonHead: number): Promise<FetchedBlock> {
    for (;;) {
      const ready = this.#ready.shift()
      if (ready !== undefined) return ready
      this.#request(skeletonHead)
      const batch = this.#batches.shift()
      if (batch === undefined) throw new RangeError(`block ${this.#next} is not in the skeleton, which ends at ${skeletonHead}`)
      const blocks = await batch.blocks
      this.#ready = [...blocks]
      const rest = batch.headers.slice(blocks.length)
      if (rest.length > 0) this.#batches.unshift(this.#fetch(rest))
      this.#request(skeletonHead)
    }
  }

  close(): void {
    this.#over.abort()
  }

  #request(skeletonHead: number): void {
    while (this.#batches.length < MAX_BATCHES && this.#next <= skeletonHead) {
      const headers = this.#nextHeaders(skeletonHead)
      if (headers.length === 0) return
      this.#batches.push(this.#fetch(headers))
      this.#next += headers.length
    }
  }

  #nextHeaders(skeletonHead: number): readonly RawHeader[] {
    const headers: RawHeader[] = []
    let gas = 0n
    while (headers.length < BLOCKS_PER_REQUEST && gas < GAS_PER_REQUEST && this.#next + headers.length <= skeletonHead) {
      const header = this.#deps.header(this.#next + headers.length)
      if (header === null) break
      headers.push(header)
      gas += header.header.gasUsed
    }
    return headers
  }

  #fetch(headers: readonly RawHeader[]): Batch {
    const blocks =
      this.#offered(headers) ?? this.#deps.pool.request(bodiesOf(headers, this.#deps.rules), this.#signal).then(({ value }) => value)
    blocks.catch(() => undefined)
    return { headers, blocks }
  }

  /** The first blocks of the range that need no request. */
  #offered(headers: readonly RawHeader[]): Promise<readonly FetchedBlock[]> | null {
    const blocks: FetchedBlock[] = []
    for (const header of headers) {
      const block = this.#deps.offered(header.hash)
      if (block === null) break
      blocks.push({ kind: 'covered', header, block })
    }
    return blocks.length === 0 ? null : Promise.resolve(blocks)
  }
}
