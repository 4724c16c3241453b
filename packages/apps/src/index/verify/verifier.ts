import { type Address, bytesToHex, equalBytes, type Hash, type Hex, hexToBytes, keccak256Hash } from '@keelson/primitives'
import type { LiveState } from '../chain/live-state.ts'
import { findCreation } from '../queries/chain-queries.ts'
import type { Database } from '../storage/database.ts'
import type { CompiledContract } from './compile-process.ts'
import type { CompileQueue } from './compile-queue.ts'
import type { Compilers } from './compilers/compilers.ts'
import { type CreationCode, compiledCreationCode, constructorArgumentsIn, creationCodeOf } from './creation-code.ts'
import { describeMismatch } from './describe-mismatch.ts'
import { matchCode } from './match-code.ts'
import type { StandardInput } from './standard-input.ts'
import type { VerifiedContract, VerifiedStore } from './verified-store.ts'
import { VerifyRefusal } from './verify-refusal.ts'

export interface Submission {
  /** One of the versions of `Compilers`. */
  readonly compilerVersion: string
  readonly input: StandardInput
  readonly file: string
  readonly contract: string
  /** Compared with the transaction that created the contract. */
  readonly constructorArguments: Uint8Array | null
}

export interface Payer {
  readonly name: string
  /** Called before the compiler starts, with the size of the sources; what it throws ends the verification. */
  charge(bytes: number): void
  /** Processor time of the compiler, after a `charge`. */
  paid(cpuMs: number): void
}

export interface Verifier {
  /** Throws VerifyRefusal. */
  verify(
    address: Address,
    submission: Submission,
    payer: Payer,
    signal: AbortSignal,
  ): Promise<VerifiedContract & { readonly codeHash: Hash }>
  /** Null when the index does not know the transaction that created the contract, or it has other code. */
  constructorArguments(address: Address, verified: VerifiedContract): Promise<Hex | null>
}

export interface VerifierDependencies {
  readonly database: Database
  readonly live: Pick<LiveState, 'code' | 'transactionInput'>
  readonly store: VerifiedStore
  readonly queue: CompileQueue
  readonly compilers: Compilers
}

/** EIP-7702. */
const DELEGATION = hexToBytes('0xef0100')
const DELEGATION_BYTES = 23

export function createVerifier({ database, live, store, queue, compilers }: VerifierDependencies): Verifier {
  return {
    async verify(address, submission, payer, signal) {
      const code = await live.code(address)
      refuseWithoutContract(address, code)
      const codeHash = keccak256Hash(code)
      const known = await store.find(codeHash)
      if (known?.match === 'exact' && submission.constructorArguments === null) return { ...known, codeHash }
      const created = await creationInput(address)
      if (created === null && submission.constructorArguments !== null) throw notCreatedHere()
      queue.refuseWhenFull(payer.name)
      const { input, file, contract } = submission
      payer.charge(Object.values(input.sources).reduce((sum, { content }) => sum + content.length, 0))
      const compiler = await compilers.open(submission.compilerVersion, signal).catch((error: unknown) => {
        payer.paid(0)
        throw error
      })
      const compilation = { caller: payer.name, compiler, input, file, name: contract }
      const compiled = await queue.compile(compilation, (cpuMs) => payer.paid(cpuMs), signal)
      const match = matchCode(code, compiled.runtime, hasMetadataHash(input))
      if (match === null)
        throw new VerifyRefusal('mismatch', describeMismatch(code, compiled.runtime), 'the sources and settings of the deployment')
      const creation =
        created === null ? null : creationCodeOf(created, compiled, { hasMetadataHash: hasMetadataHash(input), runtime: match.kind })
      if (created !== null) checkArguments(submission.constructorArguments, created, creation)
      const verified = {
        match: match.kind,
        file,
        contract,
        libraries: match.libraries,
        creation: creation ?? compiledCreationCode(compiled),
        ...describe(compiled, input),
      }
      return { ...(await store.save(codeHash, verified)), codeHash }
    },
    async constructorArguments(address, { creation }) {
      const created = creation === null ? null : await creationInput(address)
      return creation === null || created === null ? null : constructorArgumentsIn(created, creation)
    },
  }

  async function creationInput(address: Address): Promise<Uint8Array | null> {
    const created = await findCreation(database, hexToBytes(address))
    return created === null ? null : live.transactionInput(created.transaction as Hash)
  }
}

function notCreatedHere(): VerifyRefusal {
  return new VerifyRefusal('constructor-arguments', 'the index has no transaction that created this contract', 'no constructorArguments')
}

function refuseWithoutContract(address: Address, code: Uint8Array): void {
  if (code.length === 0) throw new VerifyRefusal('not-found', `${address} has no code`, 'the address of a contract')
  if (code.length !== DELEGATION_BYTES || !equalBytes(code.subarray(0, DELEGATION.length), DELEGATION)) return
  const target = bytesToHex(code.subarray(DELEGATION.length))
  throw new VerifyRefusal(
    'delegation',
    `${address} is an account that delegates to ${target}`,
    'the address of the contract it delegates to',
  )
}

function checkArguments(given: Uint8Array | null, created: Uint8Array, creation: CreationCode | null): void {
  if (given === null || (creation !== null && equalBytes(created.subarray(creation.bytes), given))) return
  const message = 'the transaction that created the contract has other constructor arguments'
  throw new VerifyRefusal('constructor-arguments', message, 'the ABI-encoded arguments, or none')
}

function hasMetadataHash({ settings }: StandardInput): boolean {
  const { bytecodeHash, appendCBOR } = (settings.metadata ?? {}) as { readonly bytecodeHash?: string; readonly appendCBOR?: boolean }
  return bytecodeHash !== 'none' && appendCBOR !== false
}

/** Only the sources that the compiler used, so that a caller cannot store others. */
function describe(compiled: CompiledContract, input: StandardInput) {
  const { sources } = JSON.parse(compiled.metadata) as { readonly sources: object }
  return {
    compilerVersion: compiled.version.replace('.Emscripten.clang', ''),
    settings: input.settings,
    sources: Object.fromEntries(Object.keys(sources).map((file) => [file, input.sources[file]?.content ?? ''])),
    abi: JSON.parse(compiled.abi) as readonly object[],
  }
}
