/** Counts the values of JSON text without parsing it. */

/** Well above any valid request; parsing 10 MB of tiny values takes seconds and a gigabyte of memory. */
export const MAX_BODY_VALUES = 20_000

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, OPEN_OBJECT] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b]

/** Counts commas and opening brackets outside strings, so an empty list counts as two values. */
export function hasTooManyValues(text: string, most = MAX_BODY_VALUES): boolean {
  let values = 1
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === COMMA || char === OPEN_LIST || char === OPEN_OBJECT) {
      if (++values > most) return true
    } else if (char === QUOTE) at = stringEnd(text, at)
  }
  return false
}

function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) return at
    if (char === BACKSLASH) at++
  }
  return text.length
}
