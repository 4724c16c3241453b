/** Uploads the sources of a contract to the index. */
import type { AbiEntry } from '@keelson/contracts'
import { forgetInterfaces } from './contract-abis.ts'
import { postJson } from './get-json.ts'

export interface VerifiedContract {
  /** `runtime`: the code that created the contract is other code, or is not known. */
  readonly match: 'exact' | 'runtime' | 'partial'
  readonly file: string
  readonly contract: string
  readonly compilerVersion: string
  readonly settings: object
  readonly sources: Readonly<Record<string, string>>
  readonly abi: readonly AbiEntry[]
  readonly libraries: Readonly<Record<string, string>>
}

/** A contract that comes with a rollup, found by its code. */
export interface ProjectContract {
  readonly name: string
  readonly origin: string
  readonly file: string | null
  readonly sources: Readonly<Record<string, string>>
  readonly abi: readonly AbiEntry[]
}

export interface ContractDocument {
  readonly address: string
  readonly codeHash: string
  /** The version that the code names; null if it names none. */
  readonly compiledWith: string | null
  readonly implementation: string | null
  readonly project: ProjectContract | null
  readonly verified: VerifiedContract | null
  readonly constructorArguments: string | null
}

/** What the index accepts. */
export interface VerificationLimits {
  readonly compilers: readonly string[]
  readonly maxBytes: number
  readonly maxSources: number
  readonly maxSeconds: number
  readonly maxWaitSeconds: number
}

const MARGIN_SEC = 10

export interface Submission {
  readonly compilerVersion: string
  /** FILE:NAME. */
  readonly contract: string
  readonly standardJson: unknown
}

/** Throws Refusal. */
export async function uploadSources(address: string, submission: Submission, { maxWaitSeconds }: VerificationLimits): Promise<void> {
  await postJson(`/api/index/contracts/${address}/verify`, submission, (maxWaitSeconds + MARGIN_SEC) * 1_000)
  forgetInterfaces()
}
