/** A disk that survives processes. A write becomes visible after a delay, and survives a power loss once synced. */
import type { Random } from '@keelson/primitives'
import { type KeyValueOp, type KeyValueRangeOptions, type KeyValueStore, RuntimeError } from '@keelson/runtime'
import type { SimProcess } from '../core/sim-process.ts'
import type { Simulation } from '../core/simulation.ts'
import { bytesOf, textOf } from './byte-text.ts'
import { SharedTexts } from './shared-texts.ts'
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

/** A null value deletes. */
type Change = readonly [key: string, value: string | null]

interface UnsyncedBatch {
  readonly atMs: number
  readonly before: readonly Change[]
}

/** All values at one time. */
export type DiskCopy = ReadonlyMap<string, string>

export class SimulatedDisk {
  readonly #simulation: Simulation
  readonly #timing: DiskTiming
  readonly #random: Random
  readonly #texts: SharedTexts
  readonly #values = new Map<string, string>()
  #keys = new SortedKeys()
  readonly #unreadable = new Set<string>()
  #unsynced: UnsyncedBatch[] = []
  #busyUntilMs = 0
  /** Every write fails while this is true. */
  full = false
  /** Called when a batch is about to become visible; it stays unwritten if the owner is killed then. */
  onWrite: (() => void) | null = null
  /** How often something else than a process changed its values. */
  disturbances = 0
  /** Multiplies the time of each write. */
  slowness = 1

  /** Disks with the same `texts` hold equal keys and values once. */
  constructor(simulation: Simulation, name: string, texts = new SharedTexts(), timing: DiskTiming = DEFAULT_DISK_TIMING) {
    this.#simulation = simulation
    this.#texts = texts
    this.#timing = timing
    this.#random = simulation.seed.random(`disk ${name}`)
  }

  get size(): number {
    return this.#values.size
  }

  /** A batch that waits when `owner` is killed is never written. */
  open(owner: SimProcess): KeyValueStore {
    return {
      getSync: (key) => {
        const value = this.#read(textOf(key))
        return value === undefined ? null : bytesOf(value)
      },
      batch: (ops, options) => this.#batch(ops.map(changeOf), options?.sync === true, owner),
      range: (from, to, options) => this.#range(from, to, options),
      close: async () => undefined,
    }
  }

  /**
   * Loses some of the latest batches that were neither synced nor written back, as a database does whose log ends in a
   * torn record. Returns their number. The owner must be dead.
   */
  losePower(): number {
    this.disturbances++
    this.#forgetWrittenBack()
    const lost = Math.floor(this.#random.next() * (this.#unsynced.length + 1))
    for (let i = 0; i < lost; i++) {
      const batch = this.#unsynced.pop() as UnsyncedBatch
      for (const change of [...batch.before].reverse()) this.#set(change)
    }
    this.#unsynced = []
    this.#busyUntilMs = 0
    return lost
  }

  copy(): DiskCopy {
    return new Map(this.#values)
  }

  /** The owner must be dead. */
  restore(copy: DiskCopy): void {
    this.disturbances++
    this.#values.clear()
    this.#keys = new SortedKeys()
    this.#unreadable.clear()
    this.#unsynced = []
    this.#busyUntilMs = 0
    for (const change of copy) this.#set(change)
  }

  /** Makes one stored value unreadable until it is written again, as a database with checksums does. Returns its key, or null. */
  breakValue(): Uint8Array | null {
    const key = this.#keys.at(Math.floor(this.#random.next() * this.#keys.size))
    if (key === undefined) return null
    this.disturbances++
    this.#unreadable.add(key)
    return bytesOf(key)
  }

  /** Flips one bit of one stored value, as a database without checksums on its reads returns it. Returns its key, or null. */
  flipBit(): Uint8Array | null {
    const key = this.#keys.at(Math.floor(this.#random.next() * this.#keys.size))
    const value = key === undefined ? undefined : this.#values.get(key)
    const bit = Math.floor(this.#random.next() * 8 * (value?.length ?? 0))
    if (key === undefined || value === undefined || value.length === 0) return null
    this.disturbances++
    const bytes = bytesOf(value)
    bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7))
    this.#values.set(key, textOf(bytes))
    return bytesOf(key)
  }

  #read(key: string): string | undefined {
    if (this.#unreadable.has(key))
      throw new RuntimeError('runtime/store-corrupt', 'the database is damaged (Corruption: block checksum mismatch)')
    return this.#values.get(key)
  }

  #batch(changes: readonly Change[], sync: boolean, owner: SimProcess): Promise<void> {
    const { writeMs, syncMs } = this.#timing
    const nowMs = this.#simulation.nowMs
    // Batches become visible in the order in which they were written.
    this.#busyUntilMs = Math.max(this.#busyUntilMs, nowMs) + (sync ? syncMs : writeMs) * this.slowness
    return new Promise((resolve, reject) => {
      owner.after(this.#busyUntilMs - nowMs, sync ? 'disk sync' : 'disk write', () => {
        this.onWrite?.()
        if (!owner.alive) return
        if (this.full) return reject(new Error(`IO error: write: ${NO_SPACE}`))
        this.#apply(changes, sync)
        resolve()
      })
    })
  }

  #apply(changes: readonly Change[], sync: boolean): void {
    const before = changes.map(([key]): Change => [key, this.#values.get(key) ?? null])
    for (const change of changes) this.#set(change)
    if (sync) this.#unsynced = []
    else this.#unsynced.push({ atMs: this.#simulation.nowMs, before })
    this.#forgetWrittenBack()
  }

  #forgetWrittenBack(): void {
    const writtenBackMs = this.#simulation.nowMs - this.#timing.writeBackMs
    while (this.#unsynced[0] !== undefined && this.#unsynced[0].atMs < writtenBackMs) this.#unsynced.shift()
  }

  #set([key, value]: Change): void {
    this.#unreadable.delete(key)
    if (value === null) {
      if (this.#values.delete(key)) this.#keys.delete(key)
      return
    }
    if (this.#values.has(key)) {
      this.#values.set(key, this.#texts.share(value))
      return
    }
    const shared = this.#texts.share(key)
    this.#keys.add(shared)
    this.#values.set(shared, this.#texts.share(value))
  }

  async *#range(
    from: Uint8Array,
    to: Uint8Array,
    options: KeyValueRangeOptions = {},
  ): AsyncGenerator<readonly [key: Uint8Array, value: Uint8Array]> {
    const { limit = Number.POSITIVE_INFINITY, reverse = false } = options
    const found = this.#keys.range(textOf(from), textOf(to), limit, reverse).map((key) => [key, this.#read(key) as string] as const)
    for (const [key, value] of found) yield [bytesOf(key), bytesOf(value)]
  }
}

function changeOf(op: KeyValueOp): Change {
  return 'put' in op ? [textOf(op.put), textOf(op.value)] : [textOf(op.del), null]
}
