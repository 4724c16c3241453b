/** Scans JSON before parsing, because a few megabytes of `{},` take half a second to parse. */

export interface JsonShape {
  /** Counts commas, colons and opening brackets outside strings. */
  readonly structure: number
  readonly depth: number
  readonly items: number | null
  readonly firstItemEnd: number
  /** The limit at which the scan stopped; other fields cover the text before. */
  readonly exceeded: keyof JsonShapeLimits | null
}

export interface JsonShapeLimits {
  readonly structure: number
  readonly depth: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

export function jsonShapeOf(text: string, limits: JsonShapeLimits): JsonShape {
  const first = firstCharacter(text)
  const isList = first < text.length && text.charCodeAt(first) === OPEN_LIST
  let structure = 0
  let open = 0
  let depth = 0
  let separators = 0
  let firstItemEnd = 0
  let exceeded: JsonShape['exceeded'] = null
  for (let i = first; i < text.length && exceeded === null; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = endOfJsonString(text, i)
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        structure++
        if (++open > depth) depth = open
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        if (--open === 0 && firstItemEnd === 0) firstItemEnd = i
        break
      case COMMA:
        structure++
        if (open === 1) {
          separators++
          if (firstItemEnd === 0) firstItemEnd = i
        }
        break
      case COLON:
        structure++
        break
    }
    if (depth > limits.depth) exceeded = 'depth'
    else if (structure > limits.structure) exceeded = 'structure'
  }
  if (!isList) return { structure, depth, items: null, firstItemEnd: 0, exceeded }
  const isEmpty = separators === 0 && text.slice(first + 1, firstItemEnd).trim() === ''
  return { structure, depth, items: isEmpty ? 0 : separators + 1, firstItemEnd, exceeded }
}

function firstCharacter(text: string): number {
  let i = 0
  while (i < text.length && text.charCodeAt(i) <= 0x20) i++
  return i
}

/** Returns the index of the closing quote, or the length of a text that lacks it. */
export function endOfJsonString(text: string, opening: number): number {
  for (let i = text.indexOf('"', opening + 1); i !== -1; i = text.indexOf('"', i + 1)) {
    let backslashes = 0
    while (text.charCodeAt(i - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return i
  }
  return text.length
}
