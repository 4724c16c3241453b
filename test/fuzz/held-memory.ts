/** Shows that a run keeps no memory, and that a case allocates in proportion to its input. */
import assert from 'node:assert/strict'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const MAX_KEPT_BYTES = 48 * 1024 * 1024
const MAX_CASE_BYTES = 16 * 1024 * 1024
const MAX_TIMES_INPUT = 24
/** Reading the counters takes longer than a small case. */
const WATCHED_INPUT_BYTES = 16 * 1024

export interface HeldMemory {
  /** Throws when `work` allocates many times its input. */
  during<T>(inputBytes: number, work: () => T): T
  /** Throws when the run has kept memory. */
  close(): void
}

export function holdMemory(): HeldMemory {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const used = () => {
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const settled = () => {
    collect()
    return used()
  }
  const before = settled()
  return {
    during(inputBytes, work) {
      if (inputBytes < WATCHED_INPUT_BYTES) return work()
      const start = used()
      const result = work()
      const grown = used() - start
      assert.ok(grown < MAX_CASE_BYTES + MAX_TIMES_INPUT * inputBytes, `${grown} bytes allocated for an input of ${inputBytes}`)
      return result
    },
    close() {
      const kept = settled() - before
      assert.ok(kept < MAX_KEPT_BYTES, `${kept} bytes kept after the run`)
    },
  }
}
