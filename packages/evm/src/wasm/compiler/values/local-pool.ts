import { ValueType } from '../encoding/instructions.ts'
import type { FlagLimb, Limb, LocalLimb, Word } from './limb.ts'

class Bank<T extends Limb> {
  readonly limbs: T[] = []
  private readonly busy: boolean[] = []
  private next = 0
  private taken = 0

  constructor(private readonly make: (position: number) => T) {}

  get used(): number {
    return this.taken
  }

  take(): T {
    while (this.busy[this.next] === true) this.next++
    this.busy[this.next] = true
    this.taken++
    this.limbs[this.next] ??= this.make(this.next)
    return this.limbs[this.next++] as T
  }

  releaseAll(): void {
    this.busy.fill(false)
    this.next = 0
    this.taken = 0
  }

  hold(position: number): void {
    if (this.busy[position] === true) return
    this.busy[position] = true
    this.taken++
  }
}

const FLAGS = 16

/** Bounded, because many locals slow WebAssembly compilers down. */
export class LocalPool {
  private readonly flags: Bank<FlagLimb>
  private readonly limbs: Bank<LocalLimb>

  constructor(
    private readonly first: number,
    private readonly capacity: number,
  ) {
    this.flags = new Bank((position) => ({ kind: 'flag', local: first + position }))
    this.limbs = new Bank((position) => ({ kind: 'local', local: first + FLAGS + position }))
  }

  takeLimb(): LocalLimb {
    return this.limbs.take()
  }

  /** Null when all flags are in use. */
  takeFlag(): FlagLimb | null {
    return this.flags.used < FLAGS ? this.flags.take() : null
  }

  hasRoomFor(limbs: number): boolean {
    return this.limbs.used + limbs <= this.capacity
  }

  keepOnly(live: Iterable<Word>): void {
    this.flags.releaseAll()
    this.limbs.releaseAll()
    for (const word of live) {
      for (const limb of word) {
        if (limb.kind === 'local') this.limbs.hold(limb.local - this.first - FLAGS)
        else if (limb.kind === 'flag') this.flags.hold(limb.local - this.first)
      }
    }
  }

  declarations(): ValueType[] {
    return [...Array<ValueType>(FLAGS).fill(ValueType.i32), ...Array<ValueType>(this.limbs.limbs.length).fill(ValueType.i64)]
  }
}
