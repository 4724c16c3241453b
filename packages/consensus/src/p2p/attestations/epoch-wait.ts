/** Briefly holds attestations of an epoch that has not begun here. */
import type { Clock } from '@keelson/primitives'

export interface EpochWait {
  wait(epoch: number, peer: string, signal: AbortSignal): Promise<'begun' | 'epoch-to-come' | 'too-many-waiting'>
}

const LOOK_EVERY_MS = 200
const MAX_WAITING_OF_ONE_PEER = 256
const MAX_WAITING = 32 * MAX_WAITING_OF_ONE_PEER

export function createEpochWait(clock: Pick<Clock, 'sleep'>, patienceMs: number, hasBegun: (epoch: number) => boolean): EpochWait {
  const waitingOf = new Map<string, number>()
  let waiting = 0
  let look: Promise<void> | null = null

  function nextLook(): Promise<void> {
    look ??= clock.sleep(LOOK_EVERY_MS).finally(() => {
      look = null
    })
    return look
  }

  return {
    async wait(epoch, peer, signal) {
      const mine = waitingOf.get(peer) ?? 0
      if (waiting >= MAX_WAITING || mine >= MAX_WAITING_OF_ONE_PEER) return 'too-many-waiting'
      waiting++
      waitingOf.set(peer, mine + 1)
      try {
        for (let waitedMs = 0; waitedMs < patienceMs && !signal.aborted; waitedMs += LOOK_EVERY_MS) {
          await nextLook()
          if (hasBegun(epoch)) return 'begun'
        }
        return 'epoch-to-come'
      } finally {
        waiting--
        const left = (waitingOf.get(peer) ?? 1) - 1
        if (left === 0) waitingOf.delete(peer)
        else waitingOf.set(peer, left)
      }
    },
  }
}
