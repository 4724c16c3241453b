/** Parses declarations of `/abis.json`, such as `transfer(address to,uint256 value)`. */
export interface Parameter {
  readonly name: string
  readonly type: string
  readonly indexed: boolean
}

export interface Declaration {
  readonly name: string
  readonly parameters: readonly Parameter[]
}

export function parseDeclaration(text: string): Declaration {
  const open = text.indexOf('(')
  return { name: text.slice(0, open), parameters: splitTopLevel(text.slice(open + 1, -1)).map(parseParameter) }
}

/** Parts between commas that are in no parentheses. */
function splitTopLevel(list: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (const [i, c] of [...list].entries()) {
    if (c === '(') depth++
    if (c === ')') depth--
    if (c !== ',' || depth > 0) continue
    parts.push(list.slice(start, i))
    start = i + 1
  }
  return list === '' ? [] : [...parts, list.slice(start)]
}

function parseParameter(text: string): Parameter {
  const end = typeEnd(text)
  const words = text.slice(end).split(' ').filter(Boolean)
  const indexed = words[0] === 'indexed'
  return { type: withoutNames(text.slice(0, end)), indexed, name: words[indexed ? 1 : 0] ?? '' }
}

/** A structure ends with its brackets, any other type at the first space. */
function typeEnd(text: string): number {
  const from = text.startsWith('(') ? text.lastIndexOf(')') : 0
  const space = text.indexOf(' ', from)
  return space < 0 ? text.length : space
}

function withoutNames(type: string): string {
  return type.replace(/ [\w$]+(?=[,)])/g, '')
}
