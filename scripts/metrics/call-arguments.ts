/** The source texts of a call's arguments; `start` is the position after the opening parenthesis. */
export function callArguments(source: string, start: number): readonly string[] {
  const found: string[] = []
  let depth = 0
  let quote: string | null = null
  let from = start
  for (let at = start; at < source.length; at++) {
    const character = source[at] as string
    if (quote !== null) {
      if (character === '\\') at++
      else if (character === quote) quote = null
    } else if (character === "'" || character === '"' || character === '`') quote = character
    else if ('([{'.includes(character)) depth++
    else if (')]}'.includes(character) && depth > 0) depth--
    else if (depth === 0 && (character === ',' || character === ')')) {
      const text = source.slice(from, at).trim()
      if (text !== '') found.push(text)
      if (character === ')') return found
      from = at + 1
    }
  }
  throw new Error('the call does not end')
}

/** Null for anything but a string literal; `${...}` of templates is kept. */
export function literalText(argument: string): string | null {
  const match = /^(['"`])([\s\S]*)\1$/.exec(argument)
  return match === null ? null : (match[2] as string).replace(/\\(['"`])/g, '$1')
}
