import type { Clock } from '@keelson/primitives'

const LOOK_AGAIN_MS = 250

/**
 * Trades of one wallet take turns in the order of their requests, because each needs the nonce after the one before. A trade that waits
 * has reserved nothing of the daily cap. Other processes are seen by the store only.
 */
export class WalletTurns {
  readonly #clock: Clock
  /** The first of each queue has the turn. */
  readonly #queues = new Map<string, object[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns null when others have the turn until then. */
  async take(wallet: string, untilMs: number): Promise<(() => void) | null> {
    const ticket = {}
    const queue = this.#queues.get(wallet) ?? []
    this.#queues.set(wallet, queue)
    queue.push(ticket)
    while (queue[0] !== ticket && this.#clock.nowMs() < untilMs) await this.#clock.sleep(LOOK_AGAIN_MS)
    const release = () => {
      queue.splice(queue.indexOf(ticket), 1)
      if (queue.length === 0) this.#queues.delete(wallet)
    }
    if (queue[0] === ticket) return release
    release()
    return null
  }
}
