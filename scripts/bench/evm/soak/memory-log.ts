import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { formatTable } from '../../table.ts'

const MEBIBYTE = 2 ** 20

export interface MemorySample {
  readonly transactions: number
  readonly seconds: number
  readonly rssMb: number
  readonly heapMb: number
  readonly buffersMb: number
}

/** Collects garbage before each sample. */
export class MemoryLog {
  readonly samples: MemorySample[] = []
  readonly #collect: () => void
  readonly #began = performance.now()

  constructor() {
    setFlagsFromString('--expose-gc')
    this.#collect = runInNewContext('gc') as () => void
  }

  take(transactions: number): MemorySample {
    this.#collect()
    const { rss, heapUsed, arrayBuffers } = process.memoryUsage()
    const sample = {
      transactions,
      seconds: (performance.now() - this.#began) / 1000,
      rssMb: rss / MEBIBYTE,
      heapMb: heapUsed / MEBIBYTE,
      buffersMb: arrayBuffers / MEBIBYTE,
    }
    this.samples.push(sample)
    return sample
  }

  /** Growth after the first quarter, in which caches fill. */
  grownMb(): { readonly rss: number; readonly heap: number; readonly buffers: number } {
    const from = this.samples[Math.ceil(this.samples.length / 4)]
    const to = this.samples.at(-1)
    if (from === undefined || to === undefined) return { rss: 0, heap: 0, buffers: 0 }
    return { rss: to.rssMb - from.rssMb, heap: to.heapMb - from.heapMb, buffers: to.buffersMb - from.buffersMb }
  }

  table(): string {
    const rows = this.samples.map((sample) => [
      String(sample.transactions),
      sample.seconds.toFixed(0),
      sample.rssMb.toFixed(0),
      sample.heapMb.toFixed(1),
      sample.buffersMb.toFixed(1),
    ])
    return formatTable(['transactions', 'seconds', 'RSS MB', 'heap MB', 'buffers MB'], rows)
  }
}
