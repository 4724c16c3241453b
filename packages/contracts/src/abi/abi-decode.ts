/** Decodes untrusted ABI data. */
import { type Address, bytesToBigint, bytesToHex } from '@keelson/primitives'
import { ContractError } from '../contract-error.ts'
import { type AbiType, type AbiValue, headSize, isDynamic, parseTypes } from './abi-type.ts'

const WORD = 32
/** Bounds the memory that a hostile length can claim. */
const MAX_ITEMS = 100_000

/** Ignores extra data, as Solidity does. Throws ContractError `contracts/abi-data`. */
export function decodeParameters(types: string, data: Uint8Array): readonly AbiValue[] {
  return decodeTuple(parseTypes(types), data, 0)
}

export function decodeUint(data: Uint8Array): bigint {
  return decodeParameters('uint256', data)[0] as bigint
}

export function decodeAddress(data: Uint8Array): Address {
  return decodeParameters('address', data)[0] as Address
}

const ERROR_STRING = '0x08c379a0'
const PANIC = '0x4e487b71'

/** Text of `Error` or `Panic`, hex of a custom error, null without data. */
export function revertReason(output: Uint8Array): string | null {
  if (output.length === 0) return null
  const selector = bytesToHex(output.subarray(0, 4))
  try {
    if (selector === ERROR_STRING) return decodeParameters('string', output.subarray(4))[0] as string
    if (selector === PANIC) return `panic 0x${decodeUint(output.subarray(4)).toString(16)}`
  } catch (error) {
    if (!(error instanceof ContractError)) throw error
  }
  return bytesToHex(output)
}

function word(data: Uint8Array, at: number): Uint8Array {
  if (at + WORD > data.length) {
    throw new ContractError('contracts/abi-data', `ABI data of ${data.length} bytes ends before byte ${at + WORD}`)
  }
  return data.subarray(at, at + WORD)
}

function size(data: Uint8Array, at: number): number {
  const value = bytesToBigint(word(data, at))
  if (value > BigInt(data.length)) throw new ContractError('contracts/abi-data', `ABI length ${value} in ${data.length} bytes of data`)
  return Number(value)
}

function decodeTuple(types: readonly AbiType[], data: Uint8Array, base: number): readonly AbiValue[] {
  let at = base
  return types.map((type) => {
    const value = decodeValue(type, data, isDynamic(type) ? base + size(data, at) : at)
    at += headSize(type)
    return value
  })
}

function decodeValue(type: AbiType, data: Uint8Array, at: number): AbiValue {
  switch (type.kind) {
    case 'uint':
      return checkedUint(bytesToBigint(word(data, at)), type.bits)
    case 'int':
      return BigInt.asIntN(type.bits, bytesToBigint(word(data, at)))
    case 'bool':
      return checkedUint(bytesToBigint(word(data, at)), 1) === 1n
    case 'address':
      checkedUint(bytesToBigint(word(data, at)), 160)
      return bytesToHex(word(data, at).subarray(12))
    case 'fixed-bytes':
      return word(data, at).subarray(0, type.size)
    case 'bytes':
      return tail(data, at)
    case 'string':
      return new TextDecoder().decode(tail(data, at))
    case 'tuple':
      return decodeTuple(type.items, data, at)
    case 'array': {
      const length = type.length ?? size(data, at)
      if (length > MAX_ITEMS) throw new ContractError('contracts/abi-data', `ABI array of ${length} items; at most ${MAX_ITEMS} are read`)
      const items = new Array<AbiType>(length).fill(type.item)
      return decodeTuple(items, data, type.length === null ? at + WORD : at)
    }
  }
}

function tail(data: Uint8Array, at: number): Uint8Array {
  const length = size(data, at)
  const end = at + WORD + length
  if (end > data.length) throw new ContractError('contracts/abi-data', `ABI data of ${data.length} bytes ends before byte ${end}`)
  return data.subarray(at + WORD, end)
}

function checkedUint(value: bigint, bits: number): bigint {
  if (value >> BigInt(bits) !== 0n)
    throw new ContractError('contracts/abi-data', `ABI value 0x${value.toString(16)} does not fit ${bits} bits`)
  return value
}
