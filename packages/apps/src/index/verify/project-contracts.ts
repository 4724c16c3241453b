/** Contracts that come with a rollup. They are found by their code, so another contract at a known address is not taken for one. */
import type { AbiEntry } from '@keelson/contracts'

export interface ProjectContract {
  readonly name: string
  /** Where the source and the code come from: a sentence without its full stop. */
  readonly origin: string
  /** The key in `sources` of the file that defines the contract; null when there are no sources. */
  readonly file: string | null
  readonly sources: Readonly<Record<string, string>>
  readonly abi: readonly AbiEntry[]
}

export interface ProjectCode {
  readonly contract: ProjectContract
  /** Runtime code with zero immutables. */
  readonly code: Uint8Array
}

export interface ProjectContracts {
  find(code: Uint8Array): ProjectContract | null
}

const PUSH32 = 0x7f
const WORD = 32

export function createProjectContracts(known: readonly ProjectCode[]): ProjectContracts {
  const byLength = new Map<number, ProjectCode[]>()
  for (const one of known) byLength.set(one.code.length, [...(byLength.get(one.code.length) ?? []), one])
  return {
    find(code) {
      const same = code.length === 0 ? undefined : byLength.get(code.length)?.find((one) => isSameCode(code, one.code))
      return same?.contract ?? null
    },
  }
}

/** The compiler pushes a word of zeros only for an immutable, which the constructor fills in. */
function isSameCode(onChain: Uint8Array, compiled: Uint8Array): boolean {
  for (let at = 0; at < compiled.length; at++) {
    if (onChain[at] !== compiled[at]) return false
    if (compiled[at] !== PUSH32) continue
    const word = compiled.subarray(at + 1, at + 1 + WORD)
    if (word.length === WORD && word.every((byte) => byte === 0)) at += WORD
  }
  return true
}
