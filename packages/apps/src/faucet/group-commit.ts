import type { KeyValueOp } from '@keelson/runtime'
import type { FaucetStore } from './storage/faucet-store.ts'

export type DurableWrite = (ops: readonly KeyValueOp[]) => Promise<void>

/** A batch of concurrent writes fails as a whole. */
export function createGroupCommit(store: Pick<FaucetStore, 'batch'>): DurableWrite {
  let waiting: KeyValueOp[] = []
  let next: Promise<void> | null = null
  let last: Promise<void> = Promise.resolve()
  return (ops) => {
    waiting.push(...ops)
    next ??= last.then(() => {
      const mine = waiting
      waiting = []
      next = null
      const written = store.batch(mine, { sync: true })
      last = written.catch(() => undefined)
      return written
    })
    return next
  }
}
