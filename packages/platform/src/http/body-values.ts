/** How much of a text of JSON there is to judge, told before anything is built of it. */

/** More than any request here needs; what a few bytes a value can make of 10 MB is seconds of work, and a gigabyte. */
export const MAX_BODY_VALUES = 20_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const OPEN_OBJECT = 0x7b

/** Whether a text has more values than that; an empty list counts as two, and a text that is no JSON by its commas and brackets. */
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

/** The place of the quote that ends the string, or the end of the text. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) return at
    if (char === BACKSLASH) at++
  }
  return text.length
}
