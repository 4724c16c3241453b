/** specs: protocol/precompiles.md, granite/exec-engine.md, isthmus/exec-engine.md, jovian/exec-engine.md */
import { EVMError, type ExecResult, getActivePrecompiles, type PrecompileInput } from '@ethereumjs/evm'
import { Address } from '@ethereumjs/util'
import type { BlockRules } from '@keelson/chainspec'
import {
  bigintToBytes,
  bytesToBigint,
  type Crypto,
  concatBytes,
  EMPTY_BYTES,
  equalBytes,
  padLeft,
  type SyncKzgVerifier,
} from '@keelson/primitives'
import { EvmError } from '../errors.ts'
import { blake2Compress, blake2Rounds } from '../precompiles/blake2.ts'
import { verifyP256 } from '../precompiles/p256-wasm.ts'
import { powerModulo } from '../precompiles/power-modulo.ts'
import type { RuleCommon } from './rule-common.ts'

type Precompile = (input: PrecompileInput) => Promise<ExecResult> | ExecResult
export type CustomPrecompile = { address: Address; function: Precompile } | { address: Address }

const P256_ADDRESS = 0x100
const MODEXP_HEADER_BYTES = 96
const P256_INPUT_BYTES = 160
const ONE_WORD = padLeft(Uint8Array.of(1), 32)
const ECRECOVER_GAS = 3000n
const POINT_EVALUATION_GAS = 50_000n
const POINT_EVALUATION_BYTES = 192
const BLOB_VERSION = 1
const POINT_EVALUATION_OUTPUT = concatBytes(
  bigintToBytes(4096n, 32),
  bigintToBytes(0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n, 32),
)

function precompileAddress(index: number): Address {
  return new Address(bigintToBytes(BigInt(index), 20))
}

export function createPrecompiles(rules: BlockRules, common: RuleCommon, crypto: Crypto, kzg: SyncKzgVerifier | null): CustomPrecompile[] {
  const own = getActivePrecompiles(common)
  const standard = (index: number) => own.get(hexKey(index))
  const custom: CustomPrecompile[] = [{ address: precompileAddress(1), function: (input) => recoverSigner(input, crypto) }]
  const modexp = standard(0x05)
  if (modexp !== undefined) custom.push({ address: precompileAddress(5), function: (input) => power(input, modexp) })
  if (standard(0x09) !== undefined) custom.push({ address: precompileAddress(9), function: compressBlake2 })
  if (standard(0x0a) !== undefined)
    custom.push({ address: precompileAddress(0x0a), function: (input) => evaluatePoint(input, crypto, kzg) })
  const limits = rules.precompileInputLimits
  const limit = (index: number, maxBytes: number | null) => {
    const precompile = standard(index)
    if (precompile === undefined || maxBytes === null) return
    custom.push({
      address: precompileAddress(index),
      function: (input) => (input.data.length > maxBytes ? failure(input) : precompile(input)),
    })
  }
  limit(0x08, limits.bn256Pairing)
  limit(0x0c, limits.blsG1Msm)
  limit(0x0e, limits.blsG2Msm)
  limit(0x0f, limits.blsPairing)
  custom.push(p256Verify(rules))
  return custom
}

function hexKey(index: number): string {
  return index.toString(16).padStart(40, '0')
}

function failure(input: PrecompileInput, error = EVMError.errorMessages.OUT_OF_GAS): ExecResult {
  return { returnValue: EMPTY_BYTES, executionGasUsed: input.gasLimit, exceptionError: new EVMError(error) }
}

function recoverSigner({ data, gasLimit, ...rest }: PrecompileInput, crypto: Crypto): ExecResult {
  if (gasLimit < ECRECOVER_GAS) return failure({ data, gasLimit, ...rest })
  const input = new Uint8Array(128)
  input.set(data.subarray(0, 128))
  const v = bytesToBigint(input.subarray(32, 64))
  const nobody = { executionGasUsed: ECRECOVER_GAS, returnValue: EMPTY_BYTES }
  if (v !== 27n && v !== 28n) return nobody
  const signer = crypto.recover(input.subarray(0, 32), {
    yParity: v === 28n ? 1 : 0,
    r: bytesToBigint(input.subarray(64, 96)),
    s: bytesToBigint(input.subarray(96, 128)),
  })
  return signer === null ? nobody : { executionGasUsed: ECRECOVER_GAS, returnValue: padLeft(signer, 32) }
}

/** Called without a modulus, the library computes only the price. */
async function power(input: PrecompileInput, engines: Precompile): Promise<ExecResult> {
  const { data } = input
  const length = (index: number) => Number(readNumber(data, 32 * index, 32))
  const exponentAt = MODEXP_HEADER_BYTES + length(0)
  const modulusAt = exponentAt + length(1)
  const priced = await engines({ ...input, data: data.subarray(0, modulusAt) })
  const size = priced.returnValue.length
  if (priced.exceptionError !== undefined || size === 0) return priced
  const modulus = readNumber(data, modulusAt, size)
  if (modulus === 0n) return priced
  const result = powerModulo(readNumber(data, MODEXP_HEADER_BYTES, length(0)), readNumber(data, exponentAt, length(1)), modulus)
  return { ...priced, returnValue: bigintToBytes(result, size) }
}

function readNumber(data: Uint8Array, from: number, length: number): bigint {
  const present = data.subarray(from, from + length)
  return bytesToBigint(present) << BigInt(8 * (length - present.length))
}

/** One gas per round (EIP-152). */
function compressBlake2(input: PrecompileInput): ExecResult {
  const rounds = blake2Rounds(input.data)
  if (rounds === null) return failure(input, EVMError.errorMessages.OUT_OF_RANGE)
  if (input.gasLimit < BigInt(rounds)) return failure(input)
  return { executionGasUsed: BigInt(rounds), returnValue: blake2Compress(input.data) }
}

function evaluatePoint(input: PrecompileInput, crypto: Crypto, kzg: SyncKzgVerifier | null): ExecResult {
  const { data, gasLimit } = input
  if (gasLimit < POINT_EVALUATION_GAS || data.length !== POINT_EVALUATION_BYTES) return failure(input)
  const commitment = data.subarray(96, 144)
  const versionedHash = crypto.sha256(commitment).slice()
  versionedHash[0] = BLOB_VERSION
  if (!equalBytes(versionedHash, data.subarray(0, 32))) return failure(input)
  if (kzg === null)
    throw new EvmError('evm/misuse', 'a transaction calls the point evaluation precompile, but the engine was built without a KZG verifier')
  const valid = kzg.verifyProof(commitment, data.subarray(32, 64), data.subarray(64, 96), data.subarray(144, 192))
  return valid ? { executionGasUsed: POINT_EVALUATION_GAS, returnValue: POINT_EVALUATION_OUTPUT } : failure(input)
}

function p256Verify(rules: BlockRules): CustomPrecompile {
  const address = precompileAddress(P256_ADDRESS)
  const price = rules.p256VerifyGas
  if (price === null) return { address }
  return {
    address,
    function: (input) => {
      if (input.gasLimit < price) return failure(input)
      const holds = input.data.length === P256_INPUT_BYTES && verifyP256(input.data)
      return { executionGasUsed: price, returnValue: holds ? ONE_WORD : EMPTY_BYTES }
    },
  }
}
