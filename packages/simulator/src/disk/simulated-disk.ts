/** A disk that survives processes. A write becomes visible after a delay, and survives a power loss once synced. */
import type { Random } from '@keelson/primitives'
import type { KeyValueOp, KeyValueRangeOptions, KeyValueStore } from '@keelson/runtime'
import type { SimProcess } from '../core/sim-process.ts'
import type { Simulation } from '../core/simulation.ts'
import { SortedKeys } from './sorted-keys.ts'

export interface DiskTiming {
  readonly writeMs: number
  readonly syncMs: number
  /** After this time the operating system has written a batch by itself. */
  readonly writeBackMs: number
}

/** As LevelDB says it. */
export const NO_SPACE = 'No space left on device'

export const DEFAULT_DISK_TIMING: DiskTiming = { writeMs: 0.05, syncMs: 2, writeBackMs: 5_000 }

type Entry = readonly [key: Uint8Array, value: Uint8Array]

interface UnsyncedBatch {
  readonly atMs: number
  readonly before: readonly (readonly [key: string, entry: Entry | null])[]
}

export class SimulatedDisk {
  readonly #simulation: Simulation
  readonly #timing: DiskTiming
  readonly #random: Random
  readonly #entries = new Map<string, Entry>()
  readonly #keys = new SortedKeys()
  #unsynced: UnsyncedBatch[] = []
  #busyUntilMs = 0
  /** Every write fails while this is true. */
  full = false
  /** Multiplies the time of each write. */
  slowness = 1

  constructor(simulation: Simulation, name: string, timing: DiskTiming = DEFAULT_DISK_TIMING) {
    this.#simulation = simulation
    this.#timing = timing
    this.#random = simulation.seed.random(`disk ${name}`)
  }

  get size(): number {
    return this.#entries.size
  }

  /** A batch that waits when `owner` is killed is never written. */
  open(owner: SimProcess): KeyValueStore {
    return {
      getSync: (key) => this.#entries.get(textOf(key))?.[1].slice() ?? null,
      batch: (ops, options) => this.#batch(ops.map(copyOf), options?.sync === true, owner),
      range: (from, to, options) => this.#range(from, to, options),
      close: async () => undefined,
    }
  }

  /** Loses some of the latest batches that were not synced. Returns their number. The owner must be dead. */
  losePower(): number {
    const lost = Math.floor(this.#random.next() * (this.#unsynced.length + 1))
    for (let i = 0; i < lost; i++) {
      const batch = this.#unsynced.pop() as UnsyncedBatch
      for (const [key, entry] of [...batch.before].reverse()) this.#set(key, entry)
    }
    this.#unsynced = []
    this.#busyUntilMs = 0
    return lost
  }

  #batch(ops: readonly KeyValueOp[], sync: boolean, owner: SimProcess): Promise<void> {
    const { writeMs, syncMs } = this.#timing
    const nowMs = this.#simulation.nowMs
    // Batches become visible in the order in which they were written.
    this.#busyUntilMs = Math.max(this.#busyUntilMs, nowMs) + (sync ? syncMs : writeMs) * this.slowness
    return new Promise((resolve, reject) => {
      owner.after(this.#busyUntilMs - nowMs, sync ? 'disk sync' : 'disk write', () => {
        if (this.full) return reject(new Error(`IO error: write: ${NO_SPACE}`))
        this.#apply(ops, sync)
        resolve()
      })
    })
  }

  #apply(ops: readonly KeyValueOp[], sync: boolean): void {
    const before: (readonly [string, Entry | null])[] = []
    for (const op of ops) {
      const key = textOf('put' in op ? op.put : op.del)
      before.push([key, this.#entries.get(key) ?? null])
      this.#set(key, 'put' in op ? [op.put, op.value] : null)
    }
    if (sync) this.#unsynced = []
    else this.#unsynced.push({ atMs: this.#simulation.nowMs, before })
    const writtenBackMs = this.#simulation.nowMs - this.#timing.writeBackMs
    while (this.#unsynced[0] !== undefined && this.#unsynced[0].atMs < writtenBackMs) this.#unsynced.shift()
  }

  #set(key: string, entry: Entry | null): void {
    const known = this.#entries.has(key)
    if (entry === null) {
      if (known) this.#keys.delete(key)
      this.#entries.delete(key)
      return
    }
    if (!known) this.#keys.add(key)
    this.#entries.set(key, entry)
  }

  async *#range(from: Uint8Array, to: Uint8Array, options: KeyValueRangeOptions = {}): AsyncGenerator<Entry> {
    const { limit = Number.POSITIVE_INFINITY, reverse = false } = options
    const found = this.#keys.range(textOf(from), textOf(to), limit, reverse).map((key) => this.#entries.get(key) as Entry)
    for (const [key, value] of found) yield [key.slice(), value.slice()]
  }
}

/** Sorts like the bytes. */
function textOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')
}

function copyOf(op: KeyValueOp): KeyValueOp {
  return 'put' in op ? { put: op.put.slice(), value: op.value.slice() } : { del: op.del.slice() }
}
