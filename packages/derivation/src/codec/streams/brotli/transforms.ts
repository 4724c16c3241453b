/** RFC 7932 section 8 and Appendix B. */

/** 0 keeps the word, 1 to 9 omit that many bytes at its end, 10 and 11 capitalize it, 12 to 20 omit 1 to 9 bytes at its start. */
type Kind = number
const CAPITALIZE_FIRST = 10
const CAPITALIZE_ALL = 11
const OMIT_FIRST = 11

// biome-ignore format: a table reads best with one row a line
const TRANSFORMS: readonly (readonly [string, Kind, string])[] = [
  ['', 0, ''],
  ['', 0, ' '],
  [' ', 0, ' '],
  ['', 12, ''],
  ['', 10, ' '],
  ['', 0, ' the '],
  [' ', 0, ''],
  ['s ', 0, ' '],
  ['', 0, ' of '],
  ['', 10, ''],
  ['', 0, ' and '],
  ['', 13, ''],
  ['', 1, ''],
  [', ', 0, ' '],
  ['', 0, ', '],
  [' ', 10, ' '],
  ['', 0, ' in '],
  ['', 0, ' to '],
  ['e ', 0, ' '],
  ['', 0, '"'],
  ['', 0, '.'],
  ['', 0, '">'],
  ['', 0, '\n'],
  ['', 3, ''],
  ['', 0, ']'],
  ['', 0, ' for '],
  ['', 14, ''],
  ['', 2, ''],
  ['', 0, ' a '],
  ['', 0, ' that '],
  [' ', 10, ''],
  ['', 0, '. '],
  ['.', 0, ''],
  [' ', 0, ', '],
  ['', 15, ''],
  ['', 0, ' with '],
  ['', 0, '\''],
  ['', 0, ' from '],
  ['', 0, ' by '],
  ['', 16, ''],
  ['', 17, ''],
  [' the ', 0, ''],
  ['', 4, ''],
  ['', 0, '. The '],
  ['', 11, ''],
  ['', 0, ' on '],
  ['', 0, ' as '],
  ['', 0, ' is '],
  ['', 7, ''],
  ['', 1, 'ing '],
  ['', 0, '\n\t'],
  ['', 0, ':'],
  [' ', 0, '. '],
  ['', 0, 'ed '],
  ['', 20, ''],
  ['', 18, ''],
  ['', 6, ''],
  ['', 0, '('],
  ['', 10, ', '],
  ['', 8, ''],
  ['', 0, ' at '],
  ['', 0, 'ly '],
  [' the ', 0, ' of '],
  ['', 5, ''],
  ['', 9, ''],
  [' ', 10, ', '],
  ['', 10, '"'],
  ['.', 0, '('],
  ['', 11, ' '],
  ['', 10, '">'],
  ['', 0, '="'],
  [' ', 0, '.'],
  ['.com/', 0, ''],
  [' the ', 0, ' of the '],
  ['', 10, '\''],
  ['', 0, '. This '],
  ['', 0, ','],
  ['.', 0, ' '],
  ['', 10, '('],
  ['', 10, '.'],
  ['', 0, ' not '],
  [' ', 0, '="'],
  ['', 0, 'er '],
  [' ', 11, ' '],
  ['', 0, 'al '],
  [' ', 11, ''],
  ['', 0, '=\''],
  ['', 11, '"'],
  ['', 10, '. '],
  [' ', 0, '('],
  ['', 0, 'ful '],
  [' ', 10, '. '],
  ['', 0, 'ive '],
  ['', 0, 'less '],
  ['', 11, '\''],
  ['', 0, 'est '],
  [' ', 10, '.'],
  ['', 11, '">'],
  [' ', 0, '=\''],
  ['', 10, ','],
  ['', 0, 'ize '],
  ['', 11, '.'],
  ['\xc2\xa0', 0, ''],
  [' ', 0, ','],
  ['', 10, '="'],
  ['', 11, '="'],
  ['', 0, 'ous '],
  ['', 11, ', '],
  ['', 10, '=\''],
  [' ', 10, ','],
  [' ', 11, '="'],
  [' ', 11, ', '],
  ['', 11, ','],
  ['', 11, '('],
  ['', 11, '. '],
  [' ', 11, '.'],
  ['', 11, '=\''],
  [' ', 11, '. '],
  [' ', 10, '="'],
  [' ', 11, '=\''],
  [' ', 10, '=\''],
]

export const TRANSFORM_COUNT = TRANSFORMS.length

export function transformWord(word: Uint8Array, transform: number): Uint8Array {
  const [prefix, kind, suffix] = TRANSFORMS[transform] as (typeof TRANSFORMS)[number]
  const omitLast = kind < CAPITALIZE_FIRST ? kind : 0
  const omitFirst = kind > CAPITALIZE_ALL ? kind - OMIT_FIRST : 0
  const kept = word.subarray(Math.min(omitFirst, word.length), Math.max(omitFirst, word.length - omitLast))
  const out = new Uint8Array(prefix.length + kept.length + suffix.length)
  writeLatin(out, 0, prefix)
  out.set(kept, prefix.length)
  const end = prefix.length + kept.length
  if (kind === CAPITALIZE_FIRST || kind === CAPITALIZE_ALL) capitalize(out.subarray(prefix.length, end), kind === CAPITALIZE_ALL)
  writeLatin(out, end, suffix)
  return out
}

function writeLatin(out: Uint8Array, at: number, text: string): void {
  for (let i = 0; i < text.length; i++) out[at + i] = text.charCodeAt(i)
}

/** RFC 7932's UTF-8 rule flips bit 5 of the second of two bytes, and bits of the third of three. */
function capitalize(text: Uint8Array, all: boolean): void {
  for (let at = 0; at < text.length; ) {
    const first = text[at] as number
    if (first < 0xc0) {
      if (first >= 0x61 && first <= 0x7a) text[at] = first ^ 0x20
      at += 1
    } else if (first < 0xe0) {
      if (at + 1 < text.length) text[at + 1] = (text[at + 1] as number) ^ 0x20
      at += 2
    } else {
      if (at + 2 < text.length) text[at + 2] = (text[at + 2] as number) ^ 5
      at += 3
    }
    if (!all) return
  }
}
