/** Reading values that came from outside by their path, and showing them again in an error without what should not be repeated. */

/** Undefined when there is nothing at the path. */
export function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((value, step) => childOf(value, step), root)
}

export function childOf(value: unknown, step: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
  return (value as Record<string | number, unknown>)[step]
}

/**
 * Puts values at paths of a copy, for as many paths as there are in time that grows with what is copied: each list and
 * object on the way is copied once. What is at a path must exist.
 */
export function createAmended(root: unknown): { readonly value: unknown; set(path: readonly (string | number)[], to: unknown): void } {
  const copies = new Set<unknown>()
  const copyOf = (value: unknown) => {
    if (copies.has(value)) return value as Record<string | number, unknown>
    const copy = Array.isArray(value) ? [...value] : { ...(value as object) }
    copies.add(copy)
    return copy as Record<string | number, unknown>
  }
  // a name may be __proto__
  const put = (owner: object, key: string | number, item: unknown) =>
    Object.defineProperty(owner, key, { value: item, enumerable: true, configurable: true, writable: true })
  let value = root
  return {
    get value() {
      return value
    },
    set(path, to) {
      const last = path.at(-1)
      if (last === undefined) {
        value = to
        return
      }
      let at = copyOf(value)
      value = at
      for (const step of path.slice(0, -1)) {
        const inner = copyOf(at[step])
        put(at, step, inner)
        at = inner
      }
      put(at, last, to)
    },
  }
}

const SECRET_NAME = /password|secret|private_?key|mnemonic|authorization/i
const MASK = '**********'
const MAX_TEXT = 1_000
const MAX_ENTRIES = 50
const MAX_DEPTH = 4

/** Of one value as an error repeats it, which would else be repeated by a hundred errors. */
const MAX_SHOWN = 20_000

/** What was sent, as an error repeats it: secrets masked by the name of their field, long texts and large objects cut. */
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
/** With the flag, of no pair that is whole. */
const HALF_PAIR = /\p{Surrogate}/u

/**
 * Path of the first text that not every column of a database takes (null characters, halves of surrogate pairs), or of
 * what is nested too deep; null when there is none.
 */
export function findUnfit(root: unknown): readonly (string | number)[] | null {
  // from the inside out, so that nothing is made for what fits
  const search = (value: unknown, depth: number): (string | number)[] | null => {
    if (typeof value === 'string') return isFit(value) ? null : []
    if (typeof value !== 'object' || value === null) return null
    if (depth >= MAX_SEARCHED_DEPTH) return []
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) {
        const found = search(value[i], depth + 1)
        if (found !== null) return [...found, i]
      }
      return null
    }
    for (const key of Object.keys(value)) {
      const found = isFit(key) ? search((value as Record<string, unknown>)[key], depth + 1) : null
      if (found !== null) return [...found, key]
      if (!isFit(key)) return []
    }
    return null
  }
  return search(root, 0)?.reverse() ?? null
}

function isFit(text: string): boolean {
  return !text.includes('\0') && !HALF_PAIR.test(text)
}
