/** After an L1 reorg, and faults that came with it, blocks are replaced until all nodes are on the new branch. */
export interface ReorgView {
  readonly nowMs: number
  /** End of the last fault. */
  readonly lastFaultMs: number
  /** Number of L1 reorgs so far. */
  readonly reorgs: number
}

const REORG_PEACE_MS = 3 * 60_000

export class ReorgPeace {
  #reorgs = 0
  #fromMs = 0

  /** Whether blocks may be replaced now, as far as the last call of `lasts` knows. */
  holdsAt({ nowMs, reorgs }: Pick<ReorgView, 'nowMs' | 'reorgs'>): boolean {
    return reorgs !== this.#reorgs || nowMs < this.#fromMs
  }

  /** Whether blocks may be replaced now. */
  lasts({ nowMs, lastFaultMs, reorgs }: ReorgView): boolean {
    if (reorgs !== this.#reorgs) this.#fromMs = nowMs + REORG_PEACE_MS
    this.#reorgs = reorgs
    if (nowMs >= this.#fromMs) return false
    this.#fromMs = Math.max(this.#fromMs, lastFaultMs + REORG_PEACE_MS)
    return true
  }
}
