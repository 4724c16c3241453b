import type { EthFork } from '@keelson/chainspec'
import { existsIn } from '../program/opcodes.ts'
import type { Random } from '../random.ts'

export interface Scope {
  readonly random: Random
  readonly fork: EthFork
  readonly addresses: readonly string[]
  /** Remaining statements. */
  budget: number
  /** Uses offsets, values and bytes that mostly halt the program. */
  risky: boolean
  has(opcode: string): boolean
  only(opcodes: readonly string[]): readonly string[]
}

export function createScope(random: Random, fork: EthFork, addresses: readonly string[], budget: number): Scope {
  const has = (opcode: string) => existsIn(fork, opcode)
  return { random, fork, addresses, budget, risky: false, has, only: (opcodes) => opcodes.filter(has) }
}

export const hexOf = (value: number | bigint) => `0x${value.toString(16)}`
