/** What the parts of the generator share while one program set is made. */
import type { EthFork } from '@keelson/chainspec'
import { existsIn } from '../program/opcodes.ts'
import type { Random } from '../random.ts'

export interface Scope {
  readonly random: Random
  readonly fork: EthFork
  /** Contracts, accounts without code, delegated accounts, an absent account. */
  readonly addresses: readonly string[]
  /** Statements that may still be made; keeps programs small. */
  budget: number
  /** Whether this program has offsets, values and bytes that mostly halt it. */
  risky: boolean
  has(opcode: string): boolean
  /** The opcodes that the fork has. */
  only(opcodes: readonly string[]): readonly string[]
}

export function createScope(random: Random, fork: EthFork, addresses: readonly string[], budget: number): Scope {
  const has = (opcode: string) => existsIn(fork, opcode)
  return { random, fork, addresses, budget, risky: false, has, only: (opcodes) => opcodes.filter(has) }
}

export const hexOf = (value: number | bigint) => `0x${value.toString(16)}`
