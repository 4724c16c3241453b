/** EIP-712, with the arrays and null structs of eth_signTypedData_v4. */
import {
  bigintToBytes,
  concatBytes,
  hexToBytes,
  isHex,
  keccak256,
  padLeft,
  parseJsonArray,
  parseJsonObject,
  utf8ToBytes,
} from '@keelson/primitives'
import { invalidParams } from '@keelson/runtime'

interface Field {
  readonly name: string
  readonly type: string
}

type Types = ReadonlyMap<string, readonly Field[]>

const DOMAIN = 'EIP712Domain'
const MAX_DEPTH = 32

/** Refuses a domain of another chain, where the signature could be used. */
export function hashTypedData(value: unknown, chainId: bigint): Uint8Array {
  const o = parseJsonObject(typeof value === 'string' ? parseText(value) : value, 'typed data')
  const types: Types = new Map(
    Object.entries(parseJsonObject(o.types, 'types')).map(([name, fields]) => [name, parseJsonArray(fields, `types.${name}`, parseField)]),
  )
  const domain = parseJsonObject(o.domain, 'domain')
  if (domain.chainId !== undefined && integerOf(domain.chainId, 'domain.chainId') !== chainId)
    throw invalidParams(`domain.chainId: expected ${chainId}, the chain of this network, got ${String(domain.chainId).slice(0, 40)}`)
  const primary = String(o.primaryType)
  const start = concatBytes(Uint8Array.of(0x19, 0x01), hashStruct(types, DOMAIN, domain, 0))
  return keccak256(primary === DOMAIN ? start : concatBytes(start, hashStruct(types, primary, parseJsonObject(o.message, 'message'), 0)))
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidParams('expected typed data as JSON')
  }
}

function parseField(value: unknown, what: string): Field {
  const { name, type } = parseJsonObject(value, what)
  if (typeof name !== 'string' || typeof type !== 'string') throw invalidParams(`${what}: expected a name and a type`)
  return { name, type }
}

function fieldsOf(types: Types, name: string): readonly Field[] {
  const fields = types.get(name)
  if (fields === undefined) throw invalidParams(`there is no type "${name.slice(0, 40)}"`)
  return fields
}

function encodeType(types: Types, name: string): string {
  const found = new Set<string>()
  const visit = (type: string): void => {
    const struct = type.replace(/(\[\d*\])+$/, '')
    if (!types.has(struct) || found.has(struct)) return
    found.add(struct)
    for (const field of fieldsOf(types, struct)) visit(field.type)
  }
  visit(name)
  found.delete(name)
  return [name, ...[...found].sort()]
    .map((type) => `${type}(${fieldsOf(types, type).map((field) => `${field.type} ${field.name}`)})`)
    .join('')
}

function hashStruct(types: Types, name: string, value: Readonly<Record<string, unknown>>, depth: number): Uint8Array {
  if (depth > MAX_DEPTH) throw invalidParams(`types are nested more than ${MAX_DEPTH} deep`)
  const words = fieldsOf(types, name).map((field) => encodeValue(types, field.type, value[field.name], `${name}.${field.name}`, depth + 1))
  return keccak256(concatBytes(keccak256(utf8ToBytes(encodeType(types, name))), ...words))
}

function encodeValue(types: Types, type: string, value: unknown, what: string, depth: number): Uint8Array {
  const [, element] = /^(.*)\[\d*\]$/.exec(type) ?? []
  if (element !== undefined) {
    const items = parseJsonArray(value, what, (item, at) => encodeValue(types, element, item, at, depth + 1))
    return keccak256(concatBytes(...items))
  }
  if (types.has(type))
    return value === null || value === undefined ? new Uint8Array(32) : hashStruct(types, type, parseJsonObject(value, what), depth)
  if (value === undefined || value === null) throw invalidParams(`${what}: there is no value`)
  if (type === 'string') return keccak256(utf8ToBytes(String(value)))
  if (type === 'bytes') return keccak256(bytesOf(value, what))
  if (type === 'bool') return bigintToBytes(value === true || value === 'true' ? 1n : 0n, 32)
  if (type === 'address') return padLeft(bytesOf(value, what), 32)
  const [, size] = /^bytes(\d+)$/.exec(type) ?? []
  if (size !== undefined) return paddedRight(bytesOf(value, what), Number(size), what)
  const [, sign] = /^(u?)int\d*$/.exec(type) ?? []
  if (sign === undefined) throw invalidParams(`${what}: there is no type "${type.slice(0, 40)}"`)
  return bigintToBytes(BigInt.asUintN(256, integerOf(value, what)), 32)
}

function bytesOf(value: unknown, what: string): Uint8Array {
  if (isHex(value)) return hexToBytes(value)
  throw invalidParams(`${what}: expected bytes as hex`)
}

function paddedRight(bytes: Uint8Array, size: number, what: string): Uint8Array {
  if (bytes.length !== size) throw invalidParams(`${what}: expected ${size} bytes, got ${bytes.length}`)
  return concatBytes(bytes, new Uint8Array(32 - size))
}

function integerOf(value: unknown, what: string): bigint {
  try {
    return BigInt(value as string | number)
  } catch {
    throw invalidParams(`${what}: expected a whole number`)
  }
}
