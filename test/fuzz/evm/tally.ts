import { addCounts, type Counts, emptyCounts } from './coverage.ts'
import type { BatchResult, Finding } from './find-differences.ts'
import { keepCase } from './kept-cases.ts'
import { OPCODES } from './program/opcodes.ts'

/** Many differences tend to have one cause. */
const MAX_FINDINGS = 6
const MAX_LINES = 12
const PROGRESS_SETS = 500

export class Tally {
  readonly #executions: Counts = {}
  readonly #coverage = emptyCounts()
  readonly #programs = new Set<number>()
  readonly #print: (line: string) => void
  #sets = 0
  failures = 0

  constructor(print: (line: string) => void) {
    this.#print = print
  }

  get total(): number {
    return Object.values(this.#executions).reduce((sum, count) => sum + count, 0)
  }

  get full(): boolean {
    return this.failures >= MAX_FINDINGS
  }

  add({ executions, coverage, programs, findings }: BatchResult, sets: number): void {
    for (const [name, count] of Object.entries(executions)) this.#executions[name] = (this.#executions[name] ?? 0) + count
    addCounts(this.#coverage, coverage)
    for (const program of programs) this.#programs.add(program)
    const before = this.#sets
    this.#sets += sets
    if (Math.floor(before / PROGRESS_SETS) !== Math.floor(this.#sets / PROGRESS_SETS)) {
      this.#print(`${this.#sets} program sets, ${this.total.toLocaleString('en')} executions`)
    }
    for (const finding of findings) this.#report(finding)
  }

  fail(message: string): void {
    this.failures++
    this.#print(`FAILED ${message}`)
  }

  #report(finding: Finding): void {
    const { seed, variant, engines, lines, text } = finding
    this.fail(`seed ${seed}, block ${variant}: ${engines.join(' and ')} differ:`)
    for (const line of lines.slice(0, MAX_LINES)) this.#print(`  ${line}`)
    this.#print(
      `${text}\nkept in ${keepCase(finding)}\nagain: npm run fuzz -- evm --seed ${seed} --executions 1 --jobs 1 --engines ${engines.map((name) => `${name}:100`).join(',')}`,
    )
  }

  print(elapsedMs: number, seed: number): void {
    const { opcodes, chains, statuses, ends, features } = this.#coverage
    const missing = OPCODES.map(({ name }) => name).filter((name) => opcodes[name] === undefined)
    this.#print(`\nopcodes in traced programs: ${show(opcodes)}`)
    this.#print(`opcodes never reached: ${missing.length === 0 ? 'none' : missing.join(' ')}`)
    this.#print(`blocks by rules: ${show(chains)}`)
    this.#print(`transactions: ${show(statuses)}`)
    this.#print(`frames ended, in traced programs: ${show(ends)}`)
    this.#print(`features: ${show(features)}`)
    this.#print(`executions: ${show(this.#executions)}`)
    const { total } = this
    const seconds = elapsedMs / 1000
    const counts = `${total.toLocaleString('en')} executions of ${this.#programs.size.toLocaleString('en')} distinct programs`
    this.#print(`\n${counts} in ${this.#sets} sets from seed ${seed} on, ${seconds.toFixed(0)} s: ${this.failures} failed`)
  }
}

function show(counts: Counts): string {
  return Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([key, count]) => `${key} ${count.toLocaleString('en')}`)
    .join(', ')
}
