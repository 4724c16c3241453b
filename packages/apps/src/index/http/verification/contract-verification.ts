/** What the verification APIs share: who may send a contract, who pays, and what is shown of the result. */
import { ClientError } from '@keelson/client'
import { type Address, type Clock, type Hash, type Hex, keccak256Hash, type Logger } from '@keelson/primitives'
import type { RpcAccessOptions } from '@keelson/runtime'
import type { FastifyRequest } from 'fastify'
import type { LiveState } from '../../chain/live-state.ts'
import type { Follower } from '../../follow/follower.ts'
import type { Database } from '../../storage/database.ts'
import { createCompileQueue } from '../../verify/compile-queue.ts'
import type { Compilers } from '../../verify/compilers/compilers.ts'
import type { MatchKind } from '../../verify/match-code.ts'
import type { ProjectContract, ProjectContracts } from '../../verify/project-contracts.ts'
import { createVerifiedStore, type VerifiedContract, type VerifiedStore } from '../../verify/verified-store.ts'
import { createVerifier, type Submission, type Verifier } from '../../verify/verifier.ts'
import { VerifyRefusal } from '../../verify/verify-refusal.ts'
import { createPayers, type Payers } from './payers.ts'
import { UploadSlots } from './upload-slots.ts'
import { type VerificationJob, VerificationJobs } from './verification-jobs.ts'

export interface ContractVerificationDependencies {
  readonly database: Database
  readonly live: LiveState
  readonly projectContracts: ProjectContracts
  readonly compilers: Compilers
  readonly follower: Pick<Follower, 'cursor'>
  readonly clock: Clock
  readonly log: Logger
}

/** `runtime`: the code that created the contract is other code, or is not known. */
export type ShownMatch = MatchKind | 'runtime'

export interface ShownContract {
  readonly verified: (Omit<VerifiedContract, 'creation' | 'match'> & { readonly match: ShownMatch }) | null
  readonly constructorArguments: Hex | null
}

export interface ContractAt extends ShownContract {
  readonly code: Uint8Array
  readonly codeHash: Hash
  readonly project: ProjectContract | null
}

export type SubmittedJob = VerificationJob<ShownContract & { readonly codeHash: Hash }>

/** The compiler's input with all sources, in whatever form it comes. */
export const MAX_VERIFY_BYTES = 1024 * 1024
/** How long a verification waits for the block of a contract that was created a moment ago. */
const INDEX_LAG_MS = 20_000
const LOOK_MS = 250
const RETRY_AFTER_SEC = 30

export class ContractVerification {
  readonly compilers: Compilers
  readonly slots: UploadSlots
  readonly jobs: VerificationJobs<ShownContract & { readonly codeHash: Hash }>
  readonly #deps: ContractVerificationDependencies
  readonly #payers: Payers
  readonly #store: VerifiedStore
  readonly #verifier: Verifier

  constructor(options: RpcAccessOptions, deps: ContractVerificationDependencies) {
    const { clock, compilers } = deps
    this.#deps = deps
    this.compilers = compilers
    this.#payers = createPayers(options, clock)
    this.#store = createVerifiedStore(deps.database)
    this.#verifier = createVerifier({ ...deps, store: this.#store, queue: createCompileQueue(clock) })
    this.slots = new UploadSlots((request) => this.#payers.of(request).name)
    this.jobs = new VerificationJobs(clock)
  }

  /** Null for an address without code. Throws ClientError. */
  async contractAt(address: Address): Promise<ContractAt | null> {
    const code = await this.#deps.live.code(address)
    if (code.length === 0) return null
    const codeHash = keccak256Hash(code)
    const shown = await this.#shown(address, await this.#store.find(codeHash))
    return { code, codeHash, project: this.#deps.projectContracts.find(code), ...shown }
  }

  /** Throws VerifyRefusal. */
  async verify(request: FastifyRequest, address: Address, submission: Submission, signal: AbortSignal) {
    try {
      const { codeHash, ...verified } = await this.#verifier.verify(address, submission, this.#payers.of(request), signal)
      return { codeHash, ...(await this.#shown(address, verified)) }
    } catch (error) {
      throw error instanceof ClientError ? noNode() : error
    }
  }

  /** Verifies after the response, and keeps the caller's slot until then. */
  submit(request: FastifyRequest, address: Address, submission: Submission): SubmittedJob {
    const leave = this.slots.keep(request)
    const run = async (signal: AbortSignal) => {
      try {
        await this.#untilIndexed(signal)
        return await this.verify(request, address, submission, signal)
      } finally {
        leave()
      }
    }
    return this.jobs.start({ caller: this.#payers.of(request).name, address, submission, run }, (error) => {
      this.#deps.log.error('a verification failed', { address, error })
      return new VerifyRefusal('busy', 'internal error; see the log of the service', 'the same request later')
    })
  }

  stop(): void {
    this.jobs.stop(stopping())
  }

  /** Programs verify a contract as soon as its transaction is in a block. */
  async #untilIndexed(signal: AbortSignal): Promise<void> {
    const { clock, follower, live } = this.#deps
    const head = await live.blockNumber().catch(() => 0)
    const untilMs = clock.monotonicMs() + INDEX_LAG_MS
    while ((follower.cursor?.number ?? 0) < head && clock.monotonicMs() < untilMs) await clock.sleep(LOOK_MS, signal)
  }

  async #shown(address: Address, found: VerifiedContract | null): Promise<ShownContract> {
    if (found === null) return { verified: null, constructorArguments: null }
    const { creation: _, ...verified } = found
    const constructorArguments = await this.#verifier.constructorArguments(address, found)
    return { verified: { ...verified, match: shownMatch(found.match, constructorArguments) }, constructorArguments }
  }
}

export function stopping(): VerifyRefusal {
  return new VerifyRefusal('busy', 'the service stops', 'the same request later', RETRY_AFTER_SEC)
}

function noNode(): VerifyRefusal {
  return new VerifyRefusal('busy', 'the node of L2 does not answer', 'the same request later', 2)
}

/**
 * What a constructor writes is no part of the code at the address: without the code that created the contract, the source says only
 * what the contract does, not what it began with.
 */
function shownMatch(match: MatchKind, constructorArguments: Hex | null): ShownMatch {
  return match === 'exact' && constructorArguments === null ? 'runtime' : match
}
