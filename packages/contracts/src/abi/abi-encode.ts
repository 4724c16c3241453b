import { bigintToBytes, bytesToHex, concatBytes, type Hash, type Hex, hexToBytes, isHex, keccak256, utf8ToBytes } from '@keelson/primitives'
import { ContractError } from '../contract-error.ts'
import { type AbiType, type AbiValue, headSize, isDynamic, parseSignature, parseTypes } from './abi-type.ts'

const WORD = 32
const TWO_256 = 1n << 256n

export function functionSelector(signature: string): Uint8Array {
  return keccak256(utf8ToBytes(signature)).subarray(0, 4)
}

export function eventTopic(signature: string): Hash {
  return bytesToHex(keccak256(utf8ToBytes(signature))) as Hash
}

/** `signature` as in `transfer(address,uint256)`. Throws ContractError. */
export function encodeCall(signature: string, args: readonly AbiValue[] = []): Uint8Array {
  return concatBytes(functionSelector(signature), encodeTuple(parseSignature(signature).inputs, args, signature))
}

/** Encodes without selector. Throws ContractError. */
export function encodeParameters(types: string, args: readonly AbiValue[]): Uint8Array {
  return encodeTuple(parseTypes(types), args, types)
}

/** Pads an address to an indexed topic or storage word. */
export function addressWord(address: Hex): Hash {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}` as Hash
}

function encodeTuple(types: readonly AbiType[], values: readonly AbiValue[], where: string): Uint8Array {
  if (types.length !== values.length) {
    throw new ContractError('contracts/abi-value', `${where}: expected ${types.length} values, got ${values.length}`)
  }
  const heads: Uint8Array[] = []
  const tails: Uint8Array[] = []
  let tailAt = types.reduce((sum, type) => sum + headSize(type), 0)
  types.forEach((type, i) => {
    const encoded = encodeValue(type, values[i] as AbiValue, `${where} value ${i}`)
    if (!isDynamic(type)) {
      heads.push(encoded)
      return
    }
    heads.push(bigintToBytes(BigInt(tailAt), WORD))
    tails.push(encoded)
    tailAt += encoded.length
  })
  return concatBytes(...heads, ...tails)
}

function encodeValue(type: AbiType, value: AbiValue, where: string): Uint8Array {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return encodeInteger(type, value, where)
    case 'bool':
      if (typeof value !== 'boolean') throw unfit(where, 'a boolean', value)
      return bigintToBytes(value ? 1n : 0n, WORD)
    case 'address':
      if (!isHex(value, 20)) throw unfit(where, 'an address', value)
      return concatBytes(new Uint8Array(12), hexToBytes(value))
    case 'fixed-bytes': {
      const bytes = bytesOf(value, where)
      if (bytes.length !== type.size) throw unfit(where, `${type.size} bytes`, value)
      return padRight(bytes)
    }
    case 'bytes':
      return lengthPrefixed(bytesOf(value, where))
    case 'string':
      if (typeof value !== 'string') throw unfit(where, 'text', value)
      return lengthPrefixed(utf8ToBytes(value))
    case 'tuple':
      return encodeTuple(type.items, listOf(value, where), where)
    case 'array': {
      const list = listOf(value, where)
      if (type.length !== null && list.length !== type.length) throw unfit(where, `${type.length} items`, value)
      const items = encodeTuple(
        list.map(() => type.item),
        list,
        where,
      )
      return type.length === null ? concatBytes(bigintToBytes(BigInt(list.length), WORD), items) : items
    }
  }
}

function encodeInteger(type: { kind: 'uint' | 'int'; bits: number }, value: AbiValue, where: string): Uint8Array {
  const bits = BigInt(type.bits)
  const [low, high] = type.kind === 'uint' ? [0n, (1n << bits) - 1n] : [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n]
  if (typeof value !== 'bigint' || value < low || value > high) throw unfit(where, `${type.kind}${type.bits}`, value)
  return bigintToBytes(value < 0n ? value + TWO_256 : value, WORD)
}

/** Also accepts hex text. */
function bytesOf(value: AbiValue, where: string): Uint8Array {
  if (value instanceof Uint8Array) return value
  if (isHex(value)) return hexToBytes(value)
  throw unfit(where, 'bytes', value)
}

function listOf(value: AbiValue, where: string): readonly AbiValue[] {
  if (typeof value !== 'object' || value instanceof Uint8Array) throw unfit(where, 'a list', value)
  return value
}

function padRight(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(Math.ceil(bytes.length / WORD) * WORD)
  out.set(bytes)
  return out
}

function lengthPrefixed(bytes: Uint8Array): Uint8Array {
  return concatBytes(bigintToBytes(BigInt(bytes.length), WORD), padRight(bytes))
}

function unfit(where: string, expected: string, value: AbiValue): ContractError {
  const got = value instanceof Uint8Array ? `${value.length} bytes` : typeof value === 'object' ? `${value.length} items` : String(value)
  return new ContractError('contracts/abi-value', `${where}: expected ${expected}, got ${got}`)
}
