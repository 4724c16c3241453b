/** A disk that survives processes. A write becomes visible after a delay, and survives a power loss once synced. */
import type { Random } from '@keelson/primitives'
import { type KeyValueOp, type KeyValueRangeOptions, type KeyValueStore, RuntimeError } from '@keelson/runtime'
import type { SimProcess } from '../core/sim-process.ts'
import type { Simulation } from '../core/simulation.ts'
import { bytesOf, textOf } from './byte-text.ts'
import { KeyOrder } from './key-order.ts'
import { SharedTexts } from './shared-texts.ts'

export interface DiskTiming {
  readonly writeMs: number
  readonly syncMs: number
  /** After this time the operating system has written a batch by itself. */
  readonly writeBackMs: number
}

/** As LevelDB says it. */
export const NO_SPACE = 'No space left on device'

export const DEFAULT_DISK_TIMING: DiskTiming = { writeMs: 0.05, syncMs: 2, writeBackMs: 5_000 }

interface Batch {
  readonly keys: readonly string[]
  /** In the order of the keys. A null value deletes. */
  readonly values: readonly (string | null)[]
}

/** `values` are those from before. */
interface UnsyncedBatch extends Batch {
  readonly atMs: number
}

/** All values at one time. */
export type DiskCopy = ReadonlyMap<string, string>

export class SimulatedDisk {
  readonly #simulation: Simulation
  readonly #timing: DiskTiming
  readonly #random: Random
  readonly #texts: SharedTexts
  readonly #values = new Map<string, string>()
  readonly #isStored = (key: string): boolean => this.#values.has(key)
  #keys = new KeyOrder(this.#isStored)
  readonly #unreadable = new Set<string>()
  #unsynced: UnsyncedBatch[] = []
  #busyUntilMs = 0
  /** Every write fails while this is true. */
  full = false
  /** Called when a batch is about to become visible; it stays unwritten if the owner is killed then. */
  onWrite: (() => void) | null = null
  /** How often something else than a process changed its values. */
  disturbances = 0
  /** Called when something else than a process is about to change its values. */
  onDisturbed: (() => void) | null = null
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

  /** Batches that a power loss may drop. */
  get unsynced(): number {
    this.#forgetWrittenBack()
    return this.#unsynced.length
  }

  /** A batch that waits when `owner` is killed is never written. */
  open(owner: SimProcess): KeyValueStore {
    return {
      getSync: (key) => {
        const value = this.#read(textOf(key))
        return value === undefined ? null : bytesOf(value)
      },
      batch: (ops, options) => this.#batch(batchOf(ops), options?.sync === true, owner),
      range: (from, to, options) => this.#range(from, to, options),
      close: async () => undefined,
    }
  }

  /**
   * Loses some of the latest batches that were neither synced nor written back, as a database does whose log ends in a
   * torn record. Returns their number. The owner must be dead.
   */
  losePower(): number {
    this.#disturb()
    this.#forgetWrittenBack()
    const lost = Math.floor(this.#random.next() * (this.#unsynced.length + 1))
    for (let i = 0; i < lost; i++) {
      const { keys, values } = this.#unsynced.pop() as UnsyncedBatch
      for (let at = keys.length - 1; at >= 0; at--) this.#set(keys[at] as string, values[at] as string | null)
    }
    this.#unsynced = []
    this.#busyUntilMs = 0
    return lost
  }

  copy(): DiskCopy {
    return new Map(this.#values)
  }

  /** A copy of the disk as it is now; nothing writes to it. */
  still(): SimulatedDisk {
    const still = new SimulatedDisk(this.#simulation, 'still', this.#texts, this.#timing)
    still.restore(this.#values)
    return still
  }

  /** The owner must be dead. */
  restore(copy: DiskCopy): void {
    this.#disturb()
    this.#values.clear()
    this.#keys = new KeyOrder(this.#isStored)
    this.#unreadable.clear()
    this.#unsynced = []
    this.#busyUntilMs = 0
    for (const [key, value] of copy) this.#set(key, value)
  }

  /** Makes one stored value unreadable until it is written again, as a database with checksums does. Returns its key, or null. */
  breakValue(): Uint8Array | null {
    const key = this.#drawKey()
    if (key === undefined) return null
    this.#disturb()
    this.#unreadable.add(key)
    return bytesOf(key)
  }

  /** Flips one bit of one stored value, as a database without checksums on its reads returns it. Returns its key, or null. */
  flipBit(): Uint8Array | null {
    const key = this.#drawKey()
    const value = key === undefined ? undefined : this.#values.get(key)
    const bit = Math.floor(this.#random.next() * 8 * (value?.length ?? 0))
    if (key === undefined || value === undefined || value.length === 0) return null
    this.#disturb()
    const bytes = bytesOf(value)
    bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7))
    this.#values.set(key, textOf(bytes))
    return bytesOf(key)
  }

  #drawKey(): string | undefined {
    const { sorted } = this.#keys
    return sorted.at(Math.floor(this.#random.next() * sorted.size))
  }

  #disturb(): void {
    this.disturbances++
    this.onDisturbed?.()
  }

  #read(key: string): string | undefined {
    if (this.#unreadable.size > 0 && this.#unreadable.has(key))
      throw new RuntimeError('runtime/store-corrupt', 'the database is damaged (Corruption: block checksum mismatch)')
    return this.#values.get(key)
  }

  #batch(batch: Batch, sync: boolean, owner: SimProcess): Promise<void> {
    const { writeMs, syncMs } = this.#timing
    const nowMs = this.#simulation.nowMs
    // Batches become visible in the order in which they were written.
    this.#busyUntilMs = Math.max(this.#busyUntilMs, nowMs) + (sync ? syncMs : writeMs) * this.slowness
    return new Promise((resolve, reject) => {
      owner.after(this.#busyUntilMs - nowMs, sync ? 'disk sync' : 'disk write', () => {
        this.onWrite?.()
        if (!owner.alive) return
        if (this.full) return reject(new Error(`IO error: write: ${NO_SPACE}`))
        this.#apply(batch, sync)
        resolve()
      })
    })
  }

  #apply({ keys, values }: Batch, sync: boolean): void {
    const before = keys.map((key, at) => this.#set(key, values[at] as string | null))
    if (sync) this.#unsynced = []
    else this.#unsynced.push({ atMs: this.#simulation.nowMs, keys, values: before })
    this.#forgetWrittenBack()
  }

  #forgetWrittenBack(): void {
    const writtenBackMs = this.#simulation.nowMs - this.#timing.writeBackMs
    while (this.#unsynced[0] !== undefined && this.#unsynced[0].atMs < writtenBackMs) this.#unsynced.shift()
  }

  /** Returns the value from before. */
  #set(key: string, value: string | null): string | null {
    if (this.#unreadable.size > 0) this.#unreadable.delete(key)
    const before = this.#values.get(key)
    if (value === null) {
      if (this.#values.delete(key)) this.#keys.touch(key)
    } else if (before !== undefined) this.#values.set(key, value)
    else {
      const shared = this.#texts.share(key, value)
      this.#values.set(shared.key, shared.value)
      this.#keys.touch(shared.key)
    }
    return before ?? null
  }

  async *#range(
    from: Uint8Array,
    to: Uint8Array,
    options: KeyValueRangeOptions = {},
  ): AsyncGenerator<readonly [key: Uint8Array, value: Uint8Array]> {
    const { limit = Number.POSITIVE_INFINITY, reverse = false } = options
    const found = this.#keys.sorted.range(textOf(from), textOf(to), limit, reverse).map((key) => [key, this.#read(key) as string] as const)
    for (const [key, value] of found) yield [bytesOf(key), bytesOf(value)]
  }
}

function batchOf(ops: readonly KeyValueOp[]): Batch {
  const keys: string[] = []
  const values: (string | null)[] = []
  for (const op of ops) {
    const isPut = 'put' in op
    keys.push(textOf(isPut ? op.put : op.del))
    values.push(isPut ? textOf(op.value) : null)
  }
  return { keys, values }
}
