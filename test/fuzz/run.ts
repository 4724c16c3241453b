/** `npm run fuzz`: every subject over all cores, seeds printed, a table at the end. A failure says how to see it again. */
import { runJudge } from './judge/run-judge.ts'
import { readFuzzOptions } from './options.ts'
import { type PieceSource, runPieces } from './pool.ts'
import type { FuzzSubject } from './subject.ts'
import { SUBJECTS } from './subjects/index.ts'
import type { Piece } from './worker.ts'

interface Tally {
  cases: number
  elapsedMs: number
  failures: number
}

/** Small enough that all cores are busy to the end, large enough that opening a subject does not count. */
const PIECES_PER_SUBJECT = 8
const MS_PER_MINUTE = 60_000

/** Far enough from one another that no two pieces make the same cases. */
const pieceSeed = (seed: number, index: number) => (seed + index * 7_919) & 0x7fffffff

/** One thread takes all in one piece, so that a failure can be seen again under its own seed. */
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
  const tallies = new Map<string, Tally>(options.subjects.map(({ name }) => [name, { cases: 0, elapsedMs: 0, failures: 0 }]))
  const began = performance.now()
  console.log(`seed ${options.seed}`)
  for (let round = 0; ; round++) {
    const seed = pieceSeed(options.seed, round * PIECES_PER_SUBJECT)
    if (round > 0) console.log(`round ${round + 1}: seed ${seed}`)
    const queue = options.subjects.flatMap((subject) => piecesOf(subject, options.cases ?? subject.cases, seed, options.jobs))
    const source: PieceSource = {
      next() {
        const piece = queue.shift()
        if (piece === undefined) return null
        const subject = options.subjects.find(({ name }) => name === piece.subject) as FuzzSubject
        return { piece, caseLimitMs: subject.caseLimitMs }
      },
      done({ piece, cases, elapsedMs, failure }) {
        const tally = tallies.get(piece.subject) as Tally
        tally.cases += cases
        tally.elapsedMs += elapsedMs
        console.log(
          `${failure === null ? 'ok    ' : 'FAILED'} ${piece.subject} seed ${piece.seed}: ${cases} cases in ${(elapsedMs / 1000).toFixed(1)} s`,
        )
        if (failure === null) return
        tally.failures++
        console.log(failure)
        console.log(`again: npm run fuzz -- --subject ${piece.subject} --seed ${piece.seed} --cases ${piece.cases} --jobs 1`)
      },
    }
    await runPieces(source, options.jobs)
    if (options.minutes === null || performance.now() - began > options.minutes * MS_PER_MINUTE) break
  }
  printTable(tallies, options.seed)
  const all = [...tallies.values()]
  const failed = all.filter(({ failures }) => failures > 0).length
  console.log(
    `\n${all.reduce((sum, { cases }) => sum + cases, 0).toLocaleString('en')} cases in ${((performance.now() - began) / 1000).toFixed(0)} s`,
  )
  console.log(`${all.length - failed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}

const argv = process.argv.slice(2)
if (argv[0] === 'derivation') {
  await runJudge(argv.slice(1)).catch((error: Error) => {
    console.error(error.message)
    process.exitCode = 2
  })
} else {
  await main()
}
