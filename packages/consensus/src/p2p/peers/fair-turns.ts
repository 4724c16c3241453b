/** Shares a limited resource among peers in round-robin order. */

export interface FairTurns {
  /** Returns null when the peer's queue is full. */
  take<T>(peer: string, work: () => Promise<T>): Promise<T> | null
}

export interface FairTurnsOptions {
  readonly atOnce: number
  readonly perPeer: number
  readonly maxWaitingPerPeer: number
}

interface Queue {
  running: number
  readonly waiting: (() => void)[]
}

export function createFairTurns({ atOnce, perPeer, maxWaitingPerPeer }: FairTurnsOptions): FairTurns {
  const queues = new Map<string, Queue>()
  let running = 0

  function next(): void {
    while (running < atOnce) {
      const ready = [...queues].find(([, queue]) => queue.running < perPeer && queue.waiting.length > 0)
      if (ready === undefined) return
      const [peer, queue] = ready
      queues.delete(peer)
      queues.set(peer, queue)
      queue.running++
      running++
      queue.waiting.shift()?.()
    }
  }

  return {
    take(peer, work) {
      const queue = queues.get(peer) ?? { running: 0, waiting: [] }
      if (queue.waiting.length >= maxWaitingPerPeer) return null
      queues.set(peer, queue)
      const turn = new Promise<void>((resolve) => queue.waiting.push(resolve))
      next()
      return turn.then(work).finally(() => {
        queue.running--
        running--
        if (queue.running === 0 && queue.waiting.length === 0) queues.delete(peer)
        next()
      })
    },
  }
}
