import type { Block, Logger } from '@keelson/primitives'
import { type BlockReport, reportOf } from './block-report.ts'
import type { ChainMove } from './chain/chain-store.ts'
import { createEmitter, type Emitter } from './emitter.ts'
import { createExclusive } from './exclusive.ts'
import type { ForkStop } from './fork-stop.ts'
import type { BlockImporter } from './import/block-import.ts'
import type { TxPool } from './txpool/tx-pool.ts'

export class HeadFollower {
  readonly moves: Emitter<ChainMove>
  readonly reports: Emitter<BlockReport>
  readonly #pool: Pick<TxPool, 'onHead'>
  readonly #importer: Pick<BlockImporter, 'elapsedMs'>
  readonly #forkStop: ForkStop
  readonly #log: Logger
  readonly #upkeep = createExclusive()

  constructor(pool: Pick<TxPool, 'onHead'>, importer: Pick<BlockImporter, 'elapsedMs'>, forkStop: ForkStop, log: Logger) {
    this.#pool = pool
    this.#importer = importer
    this.#forkStop = forkStop
    this.#log = log
    this.moves = createEmitter(log)
    this.reports = createEmitter(log)
  }

  follow(move: ChainMove): void {
    const transactions = (blocks: readonly Block[]) => blocks.flatMap((block) => block.transactions)
    // Called synchronously, so that the pool's nonces never decrease.
    const followed = this.#pool
      .onHead(transactions(move.added), transactions(move.removed))
      .catch((error: unknown) => this.#log.error('could not write the pool journal', { error }))
    this.#upkeep.run(() => followed)
    if (move.removed.length > 0) this.#logReorg(move)
    this.#forkStop.look(move.head.header)
    this.moves.emit(move)
    for (const block of move.added) this.reports.emit(reportOf(block, this.#importer.elapsedMs(block.hash)))
  }

  idle(): Promise<void> {
    return this.#upkeep.idle()
  }

  #logReorg(move: ChainMove): void {
    this.#log.warn('chain reorganized', {
      fromNumber: move.removed[0]?.header.number ?? 0,
      removed: move.removed.length,
      added: move.added.length,
      head: move.head.header.number,
      hash: move.head.hash,
    })
  }
}
