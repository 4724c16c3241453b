/** The file that makes a long run resumable: one JSON line for each case that has passed. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

export interface PassedFile {
  /** Ids by group, as the file stood when it was opened. */
  readonly passed: Readonly<Record<string, readonly string[]>>
  add(group: string, id: string): void
}

/** A last line cut short by a crash is left out. With null nothing is read or kept. */
export function openPassedFile(path: string | null): PassedFile {
  if (path === null) return { passed: {}, add: () => undefined }
  const passed: Record<string, string[]> = {}
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  for (const line of text.split('\n')) {
    const entry = parse(line)
    if (entry === null) continue
    passed[entry[0]] ??= []
    passed[entry[0]]?.push(entry[1])
  }
  if (text !== '' && !text.endsWith('\n')) appendFileSync(path, '\n')
  return { passed, add: (group, id) => appendFileSync(path, `${JSON.stringify([group, id])}\n`) }
}

function parse(line: string): readonly [string, string] | null {
  try {
    const entry = JSON.parse(line) as readonly [string, string]
    return entry.length === 2 ? entry : null
  } catch {
    return null
  }
}
