/** Reading values that came from outside by their path, and showing them again in an error without what should not be repeated. */

/** Undefined when there is nothing at the path. */
export function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((value, step) => childOf(value, step), root)
}

export function childOf(value: unknown, step: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
  return (value as Record<string | number, unknown>)[step]
}

/** A copy with another value at the path, which must exist. */
export function withValueAt(root: unknown, path: readonly (string | number)[], value: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return value
  const inner = withValueAt(childOf(root, step), rest, value)
  if (Array.isArray(root)) return root.map((item, i) => (i === step ? inner : item))
  return { ...(root as object), [step]: inner }
}

const SECRET_NAME = /password|secret|private_?key|mnemonic|authorization/i
const MASK = '**********'
const MAX_TEXT = 1_000
const MAX_ENTRIES = 50
const MAX_DEPTH = 4

/** What was sent, as an error repeats it: secrets masked by the name of their field, long texts and large objects cut. */
export function shownInput(value: unknown, name: string | number | undefined, depth = 0): unknown {
  if (typeof name === 'string' && SECRET_NAME.test(name) && value !== null && value !== undefined) return MASK
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return Array.isArray(value) ? [] : {}
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((item) => shownInput(item, undefined, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_ENTRIES)
      .map(([key, item]) => [key, shownInput(item, key, depth + 1)]),
  )
}

const MAX_SEARCHED_DEPTH = 100

/** Path of the first text with a null character, which no database of texts takes; null when there is none. */
export function findNullCharacter(value: unknown, path: readonly (string | number)[] = []): readonly (string | number)[] | null {
  if (typeof value === 'string') return value.includes('\0') ? path : null
  if (typeof value !== 'object' || value === null) return null
  if (path.length >= MAX_SEARCHED_DEPTH) return path
  for (const [key, item] of Object.entries(value)) {
    const step = Array.isArray(value) ? Number(key) : key
    const found = key.includes('\0') ? path : findNullCharacter(item, [...path, step])
    if (found !== null) return found
  }
  return null
}
