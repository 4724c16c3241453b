/** Polls L1 for its head, safe and finalized blocks and hands what is new to the driver. */
import type { L1Reader } from '@keelson/derivation'
import type { Hash } from '@keelson/primitives'
import type { DegradedStates } from '../driver/degraded-states.ts'
import type { DriverInput } from '../driver/driver-api.ts'
import { messageOf } from '../errors.ts'

export interface L1WatcherDependencies {
  readonly l1: L1Reader
  readonly submit: (input: DriverInput) => unknown
  readonly degraded: DegradedStates
}

export interface L1Watcher {
  /** One poll; never throws. False when L1 could not be asked. */
  step(): Promise<boolean>
}

const LABELS = [
  ['safe', 'l1-safe'],
  ['finalized', 'l1-finalized'],
] as const

export function createL1Watcher({ l1, submit, degraded }: L1WatcherDependencies): L1Watcher {
  const seen = new Map<string, Hash>()
  const poll = async () => {
    const head = await l1.blockRef('latest')
    if (head === null || head.hash === seen.get('l1-head')) return
    // the labels move with the head at the earliest; they go first, so that a head is never handled without them
    for (const [label, kind] of LABELS) {
      const block = await l1.blockRef(label)
      if (block === null || block.hash === seen.get(kind)) continue
      seen.set(kind, block.hash)
      submit({ kind, block })
    }
    seen.set('l1-head', head.hash)
    submit({ kind: 'l1-head', block: head })
  }
  return {
    async step() {
      try {
        await poll()
        degraded.leave('l1')
        return true
      } catch (error) {
        degraded.enter(
          'l1',
          'L1 does not answer',
          messageOf(error),
          'check the L1 URL and that L1 runs; the node goes on by itself when it answers',
        )
        return false
      }
    },
  }
}
