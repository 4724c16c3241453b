/** Chooses the block whose state is fetched: old enough that it is seldom reorganized, and new enough that peers serve its state. */

import type { Logger } from '@keelson/primitives'
import type { StateBlock } from '@keelson/state'
import type { SealedHeader } from '../../chain/chain-reader.ts'
import { createEmitter, type Unsubscribe } from '../../emitter.ts'
import type { Skeleton } from '../skeleton/skeleton.ts'
import type { Pivots } from './snap-sync.ts'

/** Blocks between the head and a new pivot, as in go-ethereum. */
export const PIVOT_DISTANCE = 64
/** Peers serve the states of the newest 128 blocks. */
const MAX_DISTANCE = 120

export class HeadPivot implements Pivots {
  readonly #skeleton: Pick<Skeleton, 'head' | 'header'>
  readonly #changes
  #current: StateBlock

  /** `floor` is the newest stored block. The pivot is not below it. */
  constructor(skeleton: Pick<Skeleton, 'head' | 'header'>, floor: SealedHeader, log: Logger) {
    this.#skeleton = skeleton
    this.#changes = createEmitter<void>(log)
    this.#current = this.#below(stateBlock(floor))
  }

  current(): StateBlock {
    return this.#current
  }

  onChange(listener: () => void): Unsubscribe {
    return this.#changes.on(listener)
  }

  /** Call it when the head of the skeleton has moved on. */
  update(): void {
    const { head } = this.#skeleton
    if (head === null || head.number - this.#current.number <= MAX_DISTANCE) return
    this.#current = this.#below(this.#current)
    this.#changes.emit()
  }

  #below(lowest: StateBlock): StateBlock {
    const wanted = (this.#skeleton.head?.number ?? 0) - PIVOT_DISTANCE
    const header = wanted > lowest.number ? this.#skeleton.header(wanted) : null
    return header === null ? lowest : stateBlock(header)
  }
}

function stateBlock({ hash, header }: SealedHeader): StateBlock {
  return { hash, number: header.number, stateRoot: header.stateRoot }
}
