/** Parses ABI types: `f(address,(uint256,bytes)[],bytes32[2])`. */
import { ContractError } from '../contract-error.ts'

export type AbiType =
  | { readonly kind: 'uint' | 'int'; readonly bits: number }
  | { readonly kind: 'address' | 'bool' | 'bytes' | 'string' }
  | { readonly kind: 'fixed-bytes'; readonly size: number }
  | { readonly kind: 'array'; readonly item: AbiType; readonly length: number | null }
  | { readonly kind: 'tuple'; readonly items: readonly AbiType[] }

/** Integers are bigint, addresses 0x text, byte strings Uint8Array, tuples and arrays lists. */
export type AbiValue = bigint | boolean | string | Uint8Array | readonly AbiValue[]

export interface AbiSignature {
  readonly name: string
  readonly inputs: readonly AbiType[]
}

const MAX_NESTING = 8

/** Only canonical types (uint256, not uint). Throws ContractError `contracts/abi-type`. */
export function parseSignature(signature: string): AbiSignature {
  const open = signature.indexOf('(')
  if (open < 0 || !signature.endsWith(')')) throw new ContractError('contracts/abi-type', `"${signature}" is not of the form name(types)`)
  return { name: signature.slice(0, open), inputs: parseTypes(signature.slice(open + 1, -1)) }
}

export function parseTypes(list: string, nesting = 0): readonly AbiType[] {
  if (nesting > MAX_NESTING) throw new ContractError('contracts/abi-type', `types nested deeper than ${MAX_NESTING}`)
  return splitTopLevel(list).map((text) => parseType(text, nesting))
}

function splitTopLevel(list: string): string[] {
  if (list === '') return []
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let i = 0; i < list.length; i++) {
    const c = list[i]
    if (c === '(') depth++
    else if (c === ')') depth--
    else if (c === ',' && depth === 0) {
      parts.push(list.slice(start, i))
      start = i + 1
    }
  }
  if (depth !== 0) throw new ContractError('contracts/abi-type', `unbalanced parentheses in "${list}"`)
  parts.push(list.slice(start))
  return parts
}

function parseType(text: string, nesting: number): AbiType {
  const array = /^(.+)\[(\d*)\]$/.exec(text)
  if (array) {
    const length = array[2] === '' ? null : Number(array[2])
    return { kind: 'array', item: parseType(array[1] as string, nesting + 1), length }
  }
  if (text.startsWith('(') && text.endsWith(')')) return { kind: 'tuple', items: parseTypes(text.slice(1, -1), nesting + 1) }
  if (text === 'address' || text === 'bool' || text === 'bytes' || text === 'string') return { kind: text }
  const sized = /^(uint|int|bytes)(\d+)$/.exec(text)
  const size = Number(sized?.[2])
  if (sized?.[1] === 'bytes' && size >= 1 && size <= 32) return { kind: 'fixed-bytes', size }
  if ((sized?.[1] === 'uint' || sized?.[1] === 'int') && size >= 8 && size <= 256 && size % 8 === 0) {
    return { kind: sized[1], bits: size }
  }
  throw new ContractError('contracts/abi-type', `unknown ABI type "${text}"`)
}

export function isDynamic(type: AbiType): boolean {
  if (type.kind === 'bytes' || type.kind === 'string') return true
  if (type.kind === 'array') return type.length === null || isDynamic(type.item)
  return type.kind === 'tuple' && type.items.some(isDynamic)
}

/** Bytes in the head of the enclosing tuple. */
export function headSize(type: AbiType): number {
  if (isDynamic(type)) return 32
  if (type.kind === 'array') return (type.length as number) * headSize(type.item)
  if (type.kind === 'tuple') return type.items.reduce((sum, item) => sum + headSize(item), 0)
  return 32
}
