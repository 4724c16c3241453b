/** A text as words: cut by hand in one pass, so that no text takes longer than its length. */

export interface Word {
  /** As it was written, without the punctuation around it. */
  readonly text: string
  readonly lower: string
}

/** What was found in a text, and the places of the words that are it. */
export interface Found<T> {
  readonly value: T
  readonly used: readonly number[]
}

const ARROWS = ['->', '=>', '→', '➡'] as const
const CURRENCY_SIGNS: readonly (readonly [string, string])[] = [
  ['€', ' EUR '],
  ['£', ' GBP '],
  ['¥', ' JPY '],
]
const TRIMMED_BEFORE = new Set([...",'’/&+"])
const TRIMMED_AFTER = new Set([...".,'’/&+-$#"])

/** In order, none empty. An arrow is the word `to`, the sign of a currency is its code. */
export function splitWords(text: string): readonly Word[] {
  let plain = text
  for (const arrow of ARROWS) plain = plain.replaceAll(arrow, ' to ')
  for (const [sign, code] of CURRENCY_SIGNS) plain = plain.replaceAll(sign, code)
  const words: Word[] = []
  let start = -1
  for (let i = 0; i <= plain.length; i++) {
    if (i < plain.length && isWordCharacter(plain.charCodeAt(i))) {
      if (start < 0) start = i
      continue
    }
    if (start >= 0) {
      const word = trimmed(plain.slice(start, i))
      if (word !== '') words.push({ text: word, lower: word.toLowerCase() })
    }
    start = -1
  }
  return words
}

/** Letters, digits, and what stands inside of numbers, pairs and names. */
function isWordCharacter(code: number): boolean {
  if (code >= 48 && code <= 57) return true
  if ((code >= 65 && code <= 90) || (code >= 97 && code <= 122)) return true
  // # $ % & ' + , - . / _ and the typographic apostrophe
  return (code >= 35 && code <= 39) || (code >= 43 && code <= 47) || code === 95 || code === 0x2019
}

function trimmed(word: string): string {
  let [from, to] = [0, word.length]
  while (from < to && TRIMMED_BEFORE.has(word.charAt(from))) from++
  while (to > from && TRIMMED_AFTER.has(word.charAt(to - 1))) to--
  const bare = word.slice(from, to)
  return /['’]s$/i.test(bare) ? bare.slice(0, -2) : bare
}
