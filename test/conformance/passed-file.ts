import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs'

export interface PassOrigin {
  readonly vectors: string
  readonly code: string
  readonly selection: string
}

export interface PassedFile {
  readonly passed: Readonly<Record<string, readonly string[]>>
  add(group: string, id: string): void
}

const CHECK_CHARACTERS = 16
const WHAT_DIFFERS: Readonly<Record<keyof PassOrigin, string>> = {
  vectors: 'other vectors',
  code: 'other code',
  selection: 'other --group, --grep or --sample',
}

/** JSON lines with checksums. Drops a truncated last line; throws for other damage and another origin. */
export function openPassedFile(path: string | null, readOrigin: () => PassOrigin): PassedFile {
  if (path === null) return { passed: {}, add: () => undefined }
  const origin = readOrigin()
  const passed: Record<string, string[]> = {}
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  for (const [i, line] of lines.entries()) {
    if (line === '') continue
    const at = `${path}, line ${i + 1}`
    const entry = parseLine(line)
    if (entry === null) throw new Error(`${at} is damaged: delete the file and begin again`)
    if (i === 0 && !('keelsonConformance' in entry))
      throw new Error(`${path} is not a file of passed cases: expected its first line to say so`)
    if ('keelsonConformance' in entry) checkOrigin(at, entry.keelsonConformance, origin)
    else {
      const [group, id, check] = entry
      if (check !== checkOf(origin, group, id))
        throw new Error(`${at} is damaged: its checksum does not match; delete the file and begin again`)
      passed[group] ??= []
      passed[group].push(id)
    }
  }
  if (text === '') appendFileSync(path, `${JSON.stringify({ keelsonConformance: origin })}\n`)
  else if (lines.length === 0) throw new Error(`${path} is not a file of passed cases: its first line does not end`)
  else if (last !== '') truncateSync(path, Buffer.byteLength(text) - Buffer.byteLength(last))
  return { passed, add: (group, id) => appendFileSync(path, `${JSON.stringify([group, id, checkOf(origin, group, id)])}\n`) }
}

type Entry = { readonly keelsonConformance: PassOrigin } | readonly [group: string, id: string, check: string]

function parseLine(line: string): Entry | null {
  try {
    const value: unknown = JSON.parse(line)
    if (Array.isArray(value))
      return value.length === 3 && value.every((part) => typeof part === 'string') ? (value as unknown as Entry) : null
    return typeof value === 'object' && value !== null && 'keelsonConformance' in value ? (value as Entry) : null
  } catch {
    return null
  }
}

function checkOrigin(at: string, found: PassOrigin, origin: PassOrigin): void {
  for (const part of Object.keys(WHAT_DIFFERS) as (keyof PassOrigin)[]) {
    if (found[part] !== origin[part])
      throw new Error(
        `${at}: written for ${WHAT_DIFFERS[part]} (${found[part]}, this run has ${origin[part]}); delete the file and begin again`,
      )
  }
}

function checkOf(origin: PassOrigin, group: string, id: string): string {
  return createHash('sha256')
    .update(JSON.stringify([origin.vectors, origin.code, origin.selection, group, id]))
    .digest('hex')
    .slice(0, CHECK_CHARACTERS)
}
