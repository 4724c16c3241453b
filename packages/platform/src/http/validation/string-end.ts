const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Index of the quote that ends a JSON string, or the length of a text that lacks it. */
export function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) return at
    if (char === BACKSLASH) at++
  }
  return text.length
}
