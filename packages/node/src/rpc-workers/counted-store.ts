/** Counts batches in shared memory, to show readers in other threads whether their snapshots are current. */
import { isJournalKey } from '@keelson/execution'
import type { KeyValueOp, KeyValueStore } from '@keelson/runtime'

export interface CountedStore<S extends KeyValueStore> {
  readonly store: S
  readonly revisions: Revisions
}

const STARTED = 0
const DONE = 1
const READ = 2

/** Works on the same count in every thread. */
export class Revisions {
  readonly shared: SharedArrayBuffer
  readonly #counts: BigUint64Array

  constructor(shared = new SharedArrayBuffer(3 * BigUint64Array.BYTES_PER_ELEMENT)) {
    this.shared = shared
    this.#counts = new BigUint64Array(shared)
  }

  /**
   * Counts finished batches. While a batch is written, a snapshot may hold it or not, so that each call returns a higher number
   * and no two reads share a snapshot.
   */
  now(): number {
    const done = Atomics.load(this.#counts, DONE)
    if (Atomics.load(this.#counts, STARTED) === done) return Number(done)
    const read = Number(Atomics.add(this.#counts, READ, 1n)) + 1
    return Number(done) + read / (read + 1)
  }

  start(): void {
    Atomics.add(this.#counts, STARTED, 1n)
  }

  /** The fractions begin again. */
  end(): void {
    Atomics.store(this.#counts, READ, 0n)
    Atomics.add(this.#counts, DONE, 1n)
  }
}

/** Journal entries of submitted transactions do not count: each would cost a new snapshot. */
export function countBatches<S extends KeyValueStore>(inner: S): CountedStore<S> {
  const revisions = new Revisions()
  return {
    revisions,
    store: {
      ...inner,
      async batch(...given: Parameters<KeyValueStore['batch']>) {
        const counts = given[0].some(isRead)
        if (counts) revisions.start()
        try {
          await inner.batch(...given)
        } finally {
          // Counts failed batches too, because they may have been written.
          if (counts) revisions.end()
        }
      },
    },
  }
}

function isRead(op: KeyValueOp): boolean {
  return !isJournalKey('put' in op ? op.put : op.del)
}
