export function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(childOf, root)
}

export function childOf(value: unknown, step: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
  return (value as Record<string | number, unknown>)[step]
}

const SECRET_NAME = /password|secret|private_?key|mnemonic|authorization/i
const MASK = '**********'
const MAX_TEXT = 1_000
const MAX_ENTRIES = 50
const MAX_DEPTH = 4
const MAX_SHOWN = 20_000

/** Masks fields with names of secrets, and shortens long text and large collections. */
export function shownInput(value: unknown, name: string | number | undefined): unknown {
  let left = MAX_SHOWN
  const shortened = (text: string) => {
    const shown = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
    left -= shown.length
    return shown
  }
  const show = (item: unknown, key: string | number | undefined, depth: number): unknown => {
    left--
    if (typeof key === 'string' && SECRET_NAME.test(key) && item !== null && item !== undefined) return MASK
    if (typeof item === 'string') return shortened(item)
    if (typeof item !== 'object' || item === null) return item
    const most = depth >= MAX_DEPTH ? 0 : MAX_ENTRIES
    if (Array.isArray(item)) return item.slice(0, most).flatMap((inner) => (left > 0 ? [show(inner, undefined, depth + 1)] : []))
    const keys = Object.keys(item).slice(0, most)
    const entries = keys.flatMap((inner) =>
      left > 0 ? [[shortened(inner), show((item as Record<string, unknown>)[inner], inner, depth + 1)] as const] : [],
    )
    return Object.fromEntries(entries)
  }
  return show(value, name, 0)
}

const MAX_SEARCHED_DEPTH = 100
const UNPAIRED_SURROGATE = /\p{Surrogate}/u
type MutablePath = (string | number)[]

/** Finds text that the database cannot store, or too deep nesting. */
export function findUnfit(value: unknown, depth = 0): MutablePath | null {
  if (typeof value === 'string') return isStorable(value) ? null : []
  if (typeof value !== 'object' || value === null) return null
  if (depth >= MAX_SEARCHED_DEPTH) return []
  for (const key of Object.keys(value)) {
    if (!isStorable(key)) return []
    const found = findUnfit((value as Record<string, unknown>)[key], depth + 1)
    if (found !== null) return [Array.isArray(value) ? Number(key) : key, ...found]
  }
  return null
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && !UNPAIRED_SURROGATE.test(text)
}
