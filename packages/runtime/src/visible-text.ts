/**
 * Characters that move a terminal's cursor, change its state or the order of the text, or are invisible: C0 and C1 controls, format
 * characters (bidirectional controls, zero-width and tag characters), line and paragraph separators, and halves of surrogate pairs.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/**
 * Replaces each of these by `\uXXXX` per UTF-16 unit, which is also its form in a JSON string. Texts of peers, callers and other
 * servers reach terminals through logs and error messages.
 */
export function visible(text: string): string {
  return text.replace(UNSAFE, (char) => char.split('').map(escaped).join(''))
}

/** The same for a text of several lines. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n')
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
