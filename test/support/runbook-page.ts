/** Reads the pages of config/runbooks; its README says what the words after the backquotes mean. */

export type RunbookBlock =
  | { readonly kind: 'settings'; readonly line: number; readonly names: readonly string[] }
  | { readonly kind: 'run'; readonly line: number; readonly text: string; readonly expected: readonly string[] }

const FENCE = /^```(.*)\n([\s\S]*?)^```$/gm
const KNOWN = new Set(['sh', 'sh run', 'sh settings', 'output'])

/** Throws for a block with another word, and for an expected output without a block to run before it. */
export function readRunbook(page: string): readonly RunbookBlock[] {
  const blocks: RunbookBlock[] = []
  let before = ''
  for (const { index, 1: word = '', 2: text = '' } of page.matchAll(FENCE)) {
    const line = page.slice(0, index).split('\n').length
    if (!KNOWN.has(word)) throw new Error(`line ${line}: "${word}" is not one of ${[...KNOWN].join(', ')}`)
    if (word === 'sh settings') blocks.push({ kind: 'settings', line, names: namesIn(text, line) })
    if (word === 'sh run') blocks.push({ kind: 'run', line, text, expected: [] })
    if (word === 'output') {
      const last = blocks.at(-1)
      if (last?.kind !== 'run' || before !== 'sh run') throw new Error(`line ${line}: no block runs before this output`)
      blocks[blocks.length - 1] = { ...last, expected: text.trimEnd().split('\n') }
    }
    before = word
  }
  return blocks
}

function namesIn(text: string, line: number): readonly string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((row) => {
      const [, name] = /^([A-Z][A-Z0-9_]*)=/.exec(row) ?? []
      if (name === undefined) throw new Error(`line ${line}: "${row}" sets no name`)
      return name
    })
}

/** Returns the first expected line that does not occur after the ones before it, or null. */
export function missingLine(expected: readonly string[], output: string): string | null {
  const lines = output.split('\n').map((line) => line.trim())
  let at = 0
  for (const wanted of expected) {
    const pattern = new RegExp(`^${wanted.trim().split('...').map(escaped).join('.*')}$`)
    const found = lines.findIndex((line, index) => index >= at && pattern.test(line))
    if (found < 0) return wanted
    at = found + 1
  }
  return null
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
