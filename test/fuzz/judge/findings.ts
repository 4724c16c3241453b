import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'

export interface Finding {
  readonly subject: string
  readonly seed: number
  readonly case: number
  readonly request: string
  readonly judge: readonly string[]
  readonly ours: readonly string[]
}

export function keepFinding(file: string, finding: Finding): void {
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, `${JSON.stringify(finding)}\n`)
}

export function readFindings(file: string): readonly Finding[] {
  if (!existsSync(file)) throw new Error(`${file}: there are no findings`)
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Finding)
}
