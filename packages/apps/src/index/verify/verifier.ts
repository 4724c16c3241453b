import { type Address, bytesToHex, equalBytes, type Hash, hexToBytes, keccak256Hash } from '@keelson/primitives'
import type { LiveState } from '../chain/live-state.ts'
import { findCreation } from '../queries/chain-queries.ts'
import type { Database } from '../storage/database.ts'
import type { CompileQueue } from './compile-queue.ts'
import type { CompiledContract } from './compile-thread.ts'
import { matchCode } from './match-code.ts'
import type { StandardInput } from './standard-input.ts'
import type { VerifiedContract, VerifiedStore } from './verified-store.ts'
import { VerifyRefusal } from './verify-refusal.ts'

export interface Submission {
  readonly input: StandardInput
  readonly file: string
  readonly contract: string
  /** Compared with the transaction that created the contract. */
  readonly constructorArguments: Uint8Array | null
}

export interface Verifier {
  /** Calls `charge` before it compiles; what `charge` throws ends the verification. Throws VerifyRefusal. */
  verify(
    address: Address,
    submission: Submission,
    charge: () => void,
    signal: AbortSignal,
  ): Promise<VerifiedContract & { readonly codeHash: Hash }>
}

export interface VerifierDependencies {
  readonly database: Database
  readonly live: Pick<LiveState, 'code' | 'transactionInput'>
  readonly store: VerifiedStore
  readonly queue: CompileQueue
}

/** EIP-7702. */
const DELEGATION = hexToBytes('0xef0100')
const DELEGATION_BYTES = 23

export function createVerifier({ database, live, store, queue }: VerifierDependencies): Verifier {
  return {
    async verify(address, submission, charge, signal) {
      const code = await live.code(address)
      refuseWithoutContract(address, code)
      const codeHash = keccak256Hash(code)
      const known = await store.find(codeHash)
      if (known?.match === 'exact' && submission.constructorArguments === null) return { ...known, codeHash }
      const creation = submission.constructorArguments === null ? null : await creationInput(address)
      queue.refuseWhenFull()
      charge()
      const { input, file, contract } = submission
      const compiled = await queue.compile(input, file, contract, signal)
      const match = matchCode(code, compiled.runtime, hasMetadataHash(input))
      if (match === null) throw mismatch(code.length, compiled)
      if (creation !== null) checkConstructor(creation, compiled, submission)
      const { kind, libraries } = match
      return { ...(await store.save(codeHash, { match: kind, file, contract, libraries, ...describe(compiled, input) })), codeHash }
    },
  }

  async function creationInput(address: Address): Promise<Uint8Array> {
    const created = await findCreation(database, hexToBytes(address))
    const input = created === null ? null : await live.transactionInput(created.transaction as Hash)
    if (input !== null) return input
    throw new VerifyRefusal('constructor-arguments', 'the index has no transaction that created this contract', 'no constructorArguments')
  }
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

function mismatch(bytes: number, { runtime }: CompiledContract): VerifyRefusal {
  const message = `the compiled code (${runtime.object.length / 2} bytes) differs from the code on chain (${bytes} bytes)`
  return new VerifyRefusal('mismatch', message, 'the sources and settings of the deployment')
}

function checkConstructor(created: Uint8Array, { creation }: CompiledContract, { input, constructorArguments }: Submission): void {
  const size = creation.object.length / 2
  const hasArguments = constructorArguments !== null && equalBytes(created.subarray(size), constructorArguments)
  if (hasArguments && matchCode(created.subarray(0, size), creation, hasMetadataHash(input)) !== null) return
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
