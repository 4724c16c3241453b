/** Reads what a person types for a parameter. Throws Error with a sentence for people. */
import { type AbiType, type AbiValue, parseTypes } from '@keelson/contracts/abi'
import { describeWrongChecksum, hasWrongChecksum } from '@keelson/primitives'

const HEX = /^0x([0-9a-fA-F]{2})*$/
const MAX_LENGTH = 100_000

/** Lists and structures are JSON lists; in them, text and numbers may be in quotes. */
export function readAbiText(type: string, text: string): AbiValue {
  if (text.length > MAX_LENGTH) throw new Error(`This is longer than ${MAX_LENGTH} characters.`)
  const [parsed] = parseTypes(type)
  if (parsed === undefined) throw new Error(`The type ${type} is not known.`)
  return readValue(parsed, text, type)
}

function readValue(type: AbiType, text: string, name: string): AbiValue {
  const trimmed = text.trim()
  switch (type.kind) {
    case 'string':
      return text
    case 'bool':
      if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true'
      throw new Error('This must be true or false.')
    case 'uint':
    case 'int':
      if (/^(-?\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(trimmed)) return BigInt(trimmed)
      throw new Error(`This must be a whole number, such as 42 or 0x2a.`)
    case 'address':
      if (!HEX.test(trimmed) || trimmed.length !== 42) throw new Error('This must be an address: 0x and 40 hex digits.')
      if (hasWrongChecksum(trimmed)) throw new Error(`This must be an address; ${describeWrongChecksum(trimmed)}.`)
      return trimmed.toLowerCase()
    case 'fixed-bytes':
      if (HEX.test(trimmed) && trimmed.length === 2 + 2 * type.size) return trimmed.toLowerCase()
      throw new Error(`This must be ${type.size} bytes: 0x and ${2 * type.size} hex digits.`)
    case 'bytes':
      if (HEX.test(trimmed)) return trimmed.toLowerCase()
      throw new Error('This must be bytes: 0x and an even count of hex digits.')
    default:
      return readList(type, trimmed, name)
  }
}

function readList(type: Extract<AbiType, { kind: 'array' | 'tuple' }>, text: string, name: string): AbiValue {
  let items: unknown
  try {
    // A number beyond 2^53 would lose digits.
    items = JSON.parse(text.replace(/("(?:[^"\\]|\\.)*")|-?\d+(?=\s*[,\]])/g, (found, quoted) => quoted ?? `"${found}"`))
  } catch {
    items = null
  }
  if (!Array.isArray(items)) throw new Error(`This must be a list for ${name}, such as [1, "0x00", true].`)
  const size = type.kind === 'tuple' ? type.items.length : type.length
  if (size !== null && items.length !== size) throw new Error(`This must have ${size} items for ${name}, not ${items.length}.`)
  return items.map((item: unknown, i) => {
    const inner = type.kind === 'tuple' ? (type.items[i] as AbiType) : type.item
    return readValue(inner, typeof item === 'string' ? item : JSON.stringify(item), name)
  })
}
