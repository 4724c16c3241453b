/**
 * Where a text stops being JSON, and what was expected there, in the words of Python's json module, which is what
 * clients of such an API read in a `json_invalid` error. Run only over a text that JSON.parse refused.
 */
export interface JsonFault {
  readonly position: number
  readonly expected: string
}

const MAX_DEPTH = 500
const SPACE = /[ \t\n\r]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const LITERAL = /true|false|null/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

class Fault extends Error {
  readonly position: number
  constructor(position: number, expected: string) {
    super(expected)
    this.position = position
  }
}

/** Null when the text is JSON after all. */
export function findJsonFault(text: string): JsonFault | null {
  try {
    const end = space(text, value(text, space(text, 0), 0))
    return end < text.length ? { position: end, expected: 'Extra data' } : null
  } catch (error) {
    if (error instanceof Fault) return { position: error.position, expected: error.message }
    throw error
  }
}

function space(text: string, from: number): number {
  return matchEnd(SPACE, text, from) ?? from
}

/** Each gives the place after what it read. */
function value(text: string, at: number, depth: number): number {
  if (depth > MAX_DEPTH) throw new Fault(at, 'Nested too deeply')
  const char = text[at]
  if (char === '{') return object(text, at + 1, depth)
  if (char === '[') return array(text, at + 1, depth)
  if (char === '"') return string(text, at)
  const end = matchEnd(NUMBER, text, at) ?? matchEnd(LITERAL, text, at)
  if (end === null) throw new Fault(at, 'Expecting value')
  return end
}

function object(text: string, from: number, depth: number): number {
  let at = space(text, from)
  if (text[at] === '}') return at + 1
  for (;;) {
    if (text[at] !== '"') throw new Fault(at, 'Expecting property name enclosed in double quotes')
    at = space(text, string(text, at))
    if (text[at] !== ':') throw new Fault(at, "Expecting ':' delimiter")
    at = space(text, value(text, space(text, at + 1), depth + 1))
    if (text[at] === '}') return at + 1
    if (text[at] !== ',') throw new Fault(at, "Expecting ',' delimiter")
    at = space(text, at + 1)
  }
}

function array(text: string, from: number, depth: number): number {
  let at = space(text, from)
  if (text[at] === ']') return at + 1
  for (;;) {
    at = space(text, value(text, at, depth + 1))
    if (text[at] === ']') return at + 1
    if (text[at] !== ',') throw new Fault(at, "Expecting ',' delimiter")
    at = space(text, at + 1)
  }
}

function string(text: string, from: number): number {
  for (let at = from + 1; at < text.length; ) {
    const char = text[at] as string
    if (char === '"') return at + 1
    if (char < ' ') throw new Fault(at, 'Invalid control character at')
    if (char !== '\\') at++
    else {
      const end = matchEnd(ESCAPE, text, at)
      if (end === null) throw new Fault(at, 'Invalid \\escape')
      at = end
    }
  }
  throw new Fault(from, 'Unterminated string starting at')
}

function matchEnd(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}
