/** The next run tries unfixed findings first. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const FINDINGS_FILE = join(import.meta.dirname, '..', '..', '.keelson', 'fuzz', 'findings.jsonl')
const MAX_FINDINGS = 200

export interface KeptFinding {
  readonly subject: string
  readonly seed: number
  readonly cases: number
  readonly failure: string
}

export interface KeptFindings {
  list(): readonly KeptFinding[]
  keep(finding: KeptFinding): void
  drop(finding: Pick<KeptFinding, 'subject' | 'seed' | 'cases'>): void
}

export function openKeptFindings(file: string = FINDINGS_FILE): KeptFindings {
  const list = (): KeptFinding[] =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as KeptFinding)
      : []
  const others = ({ subject, seed, cases }: Pick<KeptFinding, 'subject' | 'seed' | 'cases'>) =>
    list().filter((one) => one.subject !== subject || one.seed !== seed || one.cases !== cases)
  const write = (findings: readonly KeptFinding[]) => {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, findings.map((finding) => `${JSON.stringify(finding)}\n`).join(''))
    if (findings.length === 0) rmSync(file)
  }
  return {
    list,
    keep: (finding) => write([...others(finding), finding].slice(-MAX_FINDINGS)),
    drop: (finding) => write(others(finding)),
  }
}
