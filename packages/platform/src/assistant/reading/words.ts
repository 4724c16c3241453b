/** Splits a text in time linear in its length. */

export interface Word {
  readonly text: string
  readonly lower: string
}

export interface Found<T> {
  readonly value: T
  readonly used: readonly number[]
}

const SPELLED_OUT: readonly (readonly [string, string])[] = [
  ...['->', '=>', '→', '➡'].map((arrow) => [arrow, ' to '] as const),
  ...([
    ['€', ' EUR '],
    ['£', ' GBP '],
    ['¥', ' JPY '],
    ['’', "'"],
  ] as const),
]
const WORD = /[\p{L}\p{N}#$%&'+,\-./_]+/gu
const BEFORE = new Set(",'/&+")
const AFTER = new Set(".,'/&+-$#")

export function splitWords(text: string): readonly Word[] {
  let plain = text
  for (const [sign, word] of SPELLED_OUT) plain = plain.replaceAll(sign, word)
  return (plain.match(WORD) ?? []).flatMap((raw) => {
    let [from, to] = [0, raw.length]
    // the leading point of ".5" belongs to the number
    while (from < to && (BEFORE.has(raw.charAt(from)) || /^\.(?!\d)/.test(raw.slice(from, from + 2)))) from++
    while (to > from && AFTER.has(raw.charAt(to - 1))) to--
    const bare = raw.slice(from, to).replace(/'s$/i, '')
    return bare === '' ? [] : [{ text: bare, lower: bare.toLowerCase() }]
  })
}

export function wordsOf(...groups: readonly string[]): ReadonlySet<string> {
  return new Set(groups.flatMap((group) => group.split(' ')))
}
