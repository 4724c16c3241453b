/** A unit test replays these earlier differences. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { EvmCase } from './evm-case.ts'
import type { Finding } from './find-differences.ts'

const FOLDER = join(import.meta.dirname, 'kept')
const FORMATTER = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome')
const FORMAT_LIMIT_MS = 30_000

export interface KeptCase {
  readonly name: string
  readonly symptom: string
  readonly subject: EvmCase
}

export function listKeptCases(): readonly KeptCase[] {
  const names = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => name.endsWith('.json')) : []
  return names.sort().map((name) => ({ name, ...(JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Omit<KeptCase, 'name'>) }))
}

/** Returns the path. The file has the form that `npm run check` expects. */
export function keepCase({ seed, variant, engines, lines, subject }: Finding): string {
  mkdirSync(FOLDER, { recursive: true })
  const file = join(FOLDER, `${subject.chain.replace('/', '-')}-${seed}-${variant}.json`)
  const symptom = `${engines.join(' and ')}: ${lines[0]?.split('\n')[0]}`
  writeFileSync(file, `${JSON.stringify({ symptom, subject }, null, 2)}\n`)
  execFileSync(process.execPath, [FORMATTER, 'format', '--write', file], { stdio: 'ignore', timeout: FORMAT_LIMIT_MS })
  return file
}
