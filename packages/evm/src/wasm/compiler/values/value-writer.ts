import type { FunctionBody } from '../encoding/function-body.ts'
import { Instruction } from '../encoding/instructions.ts'
import { type Limb, narrowWord, type Word, ZERO_WORD } from './limb.ts'
import type { LocalPool } from './local-pool.ts'

const OFFSETS = [0, 8, 16, 24]

export class ValueWriter {
  constructor(
    readonly body: FunctionBody,
    readonly pool: LocalPool,
  ) {}

  push(limb: Limb): void {
    if (limb.kind === 'constant') this.body.i64(limb.value)
    else this.body.get(limb.local)
    if (limb.kind === 'flag') this.body.op(Instruction.i64ExtendI32U)
  }

  pushWord(word: Word): void {
    for (const limb of word) this.push(limb)
  }

  save(): Limb {
    const limb = this.pool.takeLimb()
    this.body.set(limb.local)
    return limb
  }

  /** Pops four i64, the most significant from the top. */
  saveWord(): Word {
    const high = this.save()
    const third = this.save()
    const second = this.save()
    return [this.save(), second, third, high]
  }

  /** Pops an i32 that is 0 or 1. */
  saveFlag(): Word {
    const flag = this.pool.takeFlag()
    if (flag === null) {
      this.body.op(Instruction.i64ExtendI32U)
      return narrowWord(this.save())
    }
    this.body.set(flag.local)
    return narrowWord(flag)
  }

  /** Pushes an i64, zero exactly when all limbs are. */
  pushUnion(limbs: readonly Limb[]): void {
    const relevant = limbs.filter((limb) => limb.kind !== 'constant' || limb.value !== 0n)
    const [first, ...rest] = relevant
    if (first === undefined) {
      this.body.i64(0n)
      return
    }
    this.push(first)
    for (const limb of rest) {
      this.push(limb)
      this.body.op(Instruction.i64Or)
    }
  }

  pushIsZero(word: Word): void {
    const flag = soleFlag(word)
    if (flag !== null) {
      this.body.get(flag)
      this.body.op(Instruction.i32Eqz)
      return
    }
    this.pushUnion(word)
    this.body.op(Instruction.i64Eqz)
  }

  /** Pushes an i32, nonzero exactly when the word is. */
  pushIsNonZero(word: Word): void {
    const flag = soleFlag(word)
    if (flag !== null) {
      this.body.get(flag)
      return
    }
    this.pushUnion(word)
    this.body.i64(0n)
    this.body.op(Instruction.i64Ne)
  }

  /** Limbs from `count` on are zero. */
  loadWord(pushAddress: () => void, offset: number, count = 4): Word {
    const limbs = [...ZERO_WORD]
    for (let i = 0; i < count; i++) {
      pushAddress()
      this.body.load64(offset + (OFFSETS[i] as number))
      limbs[i] = this.save()
    }
    return limbs as unknown as Word
  }

  storeWord(pushAddress: () => void, offset: number, word: Word): void {
    word.forEach((limb, i) => {
      pushAddress()
      this.push(limb)
      this.body.store64(offset + (OFFSETS[i] as number))
    })
  }
}

function soleFlag(word: Word): number | null {
  const [low, ...rest] = word
  return low.kind === 'flag' && rest.every((limb) => limb.kind === 'constant' && limb.value === 0n) ? low.local : null
}
