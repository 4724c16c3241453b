import type { BlockRules } from '@keelson/chainspec'
import type { MemoryAccount } from '@keelson/evm'
import { concatBytes } from '@keelson/primitives'
import { assemble } from '../evm/assemble.ts'

export interface AttackShape {
  readonly name: string
  readonly code: Uint8Array
  readonly data?: Uint8Array
  readonly accounts?: readonly MemoryAccount[]
  /** Default: Osaka. */
  readonly rules?: BlockRules
}

export const MAX_CODE_BYTES = 24_576
const JUMP_BYTES = 4
const JUMPDEST = 0x5b

/** Repeats `body` up to the code size limit, then jumps back behind `before`. */
export function loop(body: string, before = ''): Uint8Array {
  const start = before === '' ? new Uint8Array(0) : assemble(before)
  const once = assemble(body)
  const times = Math.floor((MAX_CODE_BYTES - start.length - 1 - JUMP_BYTES) / once.length)
  const jump = Uint8Array.of(0x61, start.length >> 8, start.length & 0xff, 0x56)
  return concatBytes(start, Uint8Array.of(JUMPDEST), ...new Array<Uint8Array>(times).fill(once), jump)
}

/** Fills a contract of the greatest length with jump destinations after `start`. */
export function filled(start: string): Uint8Array {
  const code = new Uint8Array(MAX_CODE_BYTES).fill(JUMPDEST)
  code.set(assemble(start))
  return code
}

export function fillMemory(byte: string): string {
  const doubled = Array.from({ length: 11 }, (_, i) => 32 * 2 ** i).map((n) => `${n} 0 ${n} MCOPY`)
  return `0x${byte.repeat(32)} 0 MSTORE ${doubled.join(' ')}`
}
