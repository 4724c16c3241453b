import { runEvmFuzz } from './evm/run-evm.ts'
import { runJudge } from './judge/run-judge.ts'
import { FINDINGS_FILE, openKeptFindings } from './kept-findings.ts'
import { readFuzzOptions } from './options.ts'
import { type PieceSource, runPieces } from './pool.ts'
import { PROPERTY_TESTS, runPropertyTests } from './property-tests.ts'
import type { FuzzSubject } from './subject.ts'
import { SUBJECTS } from './subjects/index.ts'
import type { Piece } from './worker.ts'

interface Tally {
  cases: number
  elapsedMs: number
  failures: number
}

const PIECES_PER_SUBJECT = 8
const MS_PER_MINUTE = 60_000

const pieceSeed = (seed: number, index: number) => (seed + index * 7_919) & 0x7fffffff

/** With one job, one piece takes all cases, so a failure reproduces under its own seed. */
function piecesOf(subject: FuzzSubject, cases: number, seed: number, jobs: number): Piece[] {
  const count = jobs === 1 ? 1 : Math.min(PIECES_PER_SUBJECT, cases)
  return Array.from({ length: count }, (_, i) => ({
    subject: subject.name,
    seed: pieceSeed(seed, i),
    cases: Math.floor((cases * (i + 1)) / count) - Math.floor((cases * i) / count),
  }))
}

function printTable(tallies: ReadonlyMap<string, Tally>, seed: number): void {
  const rows = [...tallies].map(([name, tally]) => ({
    subject: name,
    cases: tally.cases.toLocaleString('en'),
    seconds: (tally.elapsedMs / 1000).toFixed(1),
    seed: String(seed),
    result: tally.failures === 0 ? 'passed' : `${tally.failures} FAILED`,
  }))
  const columns = ['subject', 'cases', 'seconds', 'seed', 'result'] as const
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => row[column].length)))
  const line = (cells: readonly string[]) =>
    cells.map((cell, i) => (i === 0 || i === 4 ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number))).join('  ')
  console.log(`\n${line(columns)}`)
  for (const row of rows) console.log(line(columns.map((column) => row[column])))
}

async function main(): Promise<void> {
  const options = readFuzzOptions(process.argv.slice(2), SUBJECTS, Date.now())
  const names = [...options.subjects.map(({ name }) => name), ...(options.propertyTests ? [PROPERTY_TESTS] : [])]
  const tallies = new Map<string, Tally>(names.map((name) => [name, { cases: 0, elapsedMs: 0, failures: 0 }]))
  const findings = openKeptFindings()
  const began = performance.now()

  function report(piece: Piece, cases: number, elapsedMs: number, failure: string | null): void {
    const tally = tallies.get(piece.subject) as Tally
    tally.cases += cases
    tally.elapsedMs += elapsedMs
    const verdict = failure === null ? 'ok    ' : 'FAILED'
    console.log(`${verdict} ${piece.subject} seed ${piece.seed}: ${cases} cases in ${(elapsedMs / 1000).toFixed(1)} s`)
    if (failure === null) {
      findings.drop(piece)
      return
    }
    tally.failures++
    findings.keep({ ...piece, failure })
    console.log(`${failure}\nagain: ${commandFor(piece)}`)
  }
  async function runAll(queue: Piece[], jobs: number): Promise<void> {
    const source: PieceSource = {
      next() {
        const piece = queue.shift()
        if (piece === undefined) return null
        const subject = options.subjects.find(({ name }) => name === piece.subject) as FuzzSubject
        return { piece, caseLimitMs: subject.caseLimitMs }
      },
      done: ({ piece, cases, elapsedMs, failure }) => report(piece, cases, elapsedMs, failure),
    }
    await runPieces(source, jobs)
  }
  async function runTests(seed: number): Promise<void> {
    const { tests, elapsedMs, failure } = await runPropertyTests(seed)
    report({ subject: PROPERTY_TESTS, seed, cases: 1 }, tests, elapsedMs, failure)
  }

  console.log(`seed ${options.seed}`)
  const kept = options.replay ? findings.list().filter(({ subject }) => tallies.has(subject)) : []
  if (kept.length > 0) console.log(`${kept.length} kept in ${FINDINGS_FILE} first`)
  await runAll(
    kept.filter(({ subject }) => subject !== PROPERTY_TESTS).map(({ subject, seed, cases }) => ({ subject, seed, cases })),
    1,
  )
  for (const { subject, seed } of kept) if (subject === PROPERTY_TESTS) await runTests(seed)
  for (let round = 0; ; round++) {
    const seed = pieceSeed(options.seed, round * PIECES_PER_SUBJECT)
    if (round > 0) console.log(`round ${round + 1}: seed ${seed}`)
    const pieces = options.subjects.flatMap((subject) => piecesOf(subject, options.cases ?? subject.cases, seed, options.jobs))
    await runAll(pieces, options.jobs)
    if (options.propertyTests) await runTests(seed)
    if (options.minutes === null || performance.now() - began > options.minutes * MS_PER_MINUTE) break
  }
  printTable(tallies, options.seed)
  const all = [...tallies.values()]
  const failed = all.filter(({ failures }) => failures > 0).length
  const total = all.reduce((sum, { cases }) => sum + cases, 0)
  console.log(`\n${total.toLocaleString('en')} cases in ${((performance.now() - began) / 1000).toFixed(0)} s`)
  if (failed > 0) console.log(`the failures are kept in ${FINDINGS_FILE}`)
  console.log(`${all.length - failed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}

function commandFor({ subject, seed, cases }: Piece): string {
  if (subject === PROPERTY_TESTS) return `KEELSON_PROPERTY_SEED=${seed} npm test -- --properties`
  return `npm run fuzz -- --subject ${subject} --seed ${seed} --cases ${cases} --jobs 1`
}

const argv = process.argv.slice(2)
const separate = new Map([
  ['derivation', runJudge],
  ['evm', runEvmFuzz],
]).get(argv[0] ?? '')
if (separate !== undefined) {
  await separate(argv.slice(1)).catch((error: Error) => {
    console.error(error.message)
    process.exitCode = 2
  })
} else {
  await main()
}
