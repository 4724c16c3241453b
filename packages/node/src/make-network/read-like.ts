import { isHex } from '@keelson/primitives'

const DIGITS = /^(0|[1-9]\d{0,77})$/

/** Replaces invalid values with the example's and adds a mistake for each. */
export function readLike<T>(example: T, given: unknown, what: string, mistakes: string[]): T {
  if (typeof example === 'object' && example !== null) return readObject(example, given, what, mistakes)
  const refuse = (expected: string): T => {
    const shown = given === undefined ? 'nothing' : String(JSON.stringify(given)).slice(0, 80)
    mistakes.push(`${what}: expected ${expected}, got ${shown}`)
    return example
  }
  if (typeof example === 'bigint')
    return typeof given === 'string' && DIGITS.test(given) ? (BigInt(given) as T) : refuse('a whole number in decimal digits, as text')
  if (typeof example === 'number') {
    const value = typeof given === 'string' && DIGITS.test(given) ? Number(given) : given
    return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as T) : refuse('a whole number from 0')
  }
  if (!isHex(example)) return typeof given === 'string' && given !== '' ? (given as T) : refuse('text')
  const bytes = (example.length - 2) / 2
  return isHex(given, bytes) ? (given.toLowerCase() as T) : refuse(`0x and ${2 * bytes} hex digits`)
}

function readObject<T extends object>(example: T, given: unknown, what: string, mistakes: string[]): T {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    mistakes.push(`${what}: expected an object with ${Object.keys(example).join(', ')}`)
    return example
  }
  for (const key of Object.keys(given)) if (!Object.hasOwn(example, key)) mistakes.push(`${what}.${key}: this key is not known`)
  const values = given as Readonly<Record<string, unknown>>
  const read = Object.entries(example).map(([key, value]) => [key, readLike(value, values[key], `${what}.${key}`, mistakes)])
  return Object.fromEntries(read) as T
}
