import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { CODEC_SUBJECTS } from './codec-subjects.ts'
import { keepFinding, readFindings } from './findings.ts'
import { type JudgeOptions, readJudgeOptions } from './judge-options.ts'
import { type Judge, startJudge } from './judge-process.ts'
import type { JudgeSubject } from './judge-subject.ts'
import { oursFor } from './requests.ts'
import { SCRIPT_SUBJECT } from './script-subject.ts'

const SUBJECTS: readonly JudgeSubject[] = [...CODEC_SUBJECTS, SCRIPT_SUBJECT]
const PORTION = 200
/** Keeps runs with neighbouring seeds from overlapping. */
const SEED_STEP = 7_919
const SHOWN_DIFFERENCES = 5
const SHOWN_CHARACTERS = 600

interface Tally {
  readonly subject: string
  cases: number
  differences: number
  elapsedMs: number
  skipped: string | null
}

export async function runJudge(argv: readonly string[]): Promise<void> {
  const options = readJudgeOptions(argv, Date.now())
  const subjects = chosen(options)
  const judge = await startJudge(options.judge)
  console.log(`judge ${judge.hello.name}, seed ${options.seed}`)
  const tallies: Tally[] = []
  try {
    if (options.again) tallies.push(await askAgain(judge, options))
    else for (const subject of subjects) tallies.push(await runSubject(judge, subject, options))
  } finally {
    judge.close()
    printTallies(tallies, options)
  }
  process.exitCode = tallies.every(({ differences }) => differences === 0) ? 0 : 1
}

function chosen({ subjects }: JudgeOptions): readonly JudgeSubject[] {
  const unknown = subjects.find((name) => !SUBJECTS.some((subject) => subject.name === name))
  if (unknown !== undefined) throw new Error(`unknown subject ${unknown}; there are ${SUBJECTS.map(({ name }) => name).join(', ')}`)
  return SUBJECTS.filter(({ name }) => subjects.length === 0 || subjects.includes(name))
}

async function runSubject(judge: Judge, subject: JudgeSubject, options: JudgeOptions): Promise<Tally> {
  const tally: Tally = { subject: subject.name, cases: 0, differences: 0, elapsedMs: 0, skipped: null }
  if (!judge.hello.kinds.includes(subject.kind)) return { ...tally, skipped: `the judge does not answer ${subject.kind}` }
  if (!judge.hello.forks.includes(subject.fork)) return { ...tally, skipped: `the judge does not know ${subject.fork}` }
  const began = performance.now()
  const total = options.cases ?? subject.cases
  for (let portion = 0; tally.cases < total; portion++) {
    const seed = (options.seed + portion * SEED_STEP) & 0x7fffffff
    const made = fc.sample(subject.arbitrary, { seed, numRuns: Math.min(PORTION, total - tally.cases) })
    const requests = await Promise.all(made.map((line) => (typeof line === 'string' ? line : line())))
    await compare(judge, subject.name, seed, requests, tally, options)
  }
  tally.elapsedMs = performance.now() - began
  console.log(`${subject.name}: ${tally.cases} cases, ${tally.differences} differences, ${(tally.elapsedMs / 1000).toFixed(1)} s`)
  return tally
}

async function compare(
  judge: Judge,
  subject: string,
  seed: number,
  requests: readonly string[],
  tally: Tally,
  { findings }: JudgeOptions,
): Promise<void> {
  const [answers, own] = await Promise.all([judge.ask(requests), Promise.all(requests.map(oursFor))])
  for (const [i, theirs] of answers.entries()) {
    const request = requests[i] as string
    tally.cases++
    if (isDeepStrictEqual(theirs, own[i])) continue
    tally.differences++
    keepFinding(findings, { subject, seed, case: i, request, judge: theirs, ours: own[i] as readonly string[] })
    if (tally.differences > SHOWN_DIFFERENCES) continue
    const shown = [request, JSON.stringify(theirs), JSON.stringify(own[i])].map((text) => text.slice(0, SHOWN_CHARACTERS))
    console.log(`DIFFERENT ${subject}, seed ${seed}, case ${i}: ${shown[0]}\n  judge ${shown[1]}\n  ours  ${shown[2]}`)
  }
}

async function askAgain(judge: Judge, options: JudgeOptions): Promise<Tally> {
  const kept = readFindings(options.findings)
  const tally: Tally = { subject: 'findings', cases: 0, differences: 0, elapsedMs: 0, skipped: null }
  const began = performance.now()
  for (const { subject, seed, case: number, request } of kept) {
    const [theirs] = await judge.ask([request])
    const own = await oursFor(request)
    tally.cases++
    if (isDeepStrictEqual(theirs, own)) continue
    tally.differences++
    console.log(`DIFFERENT ${subject}, seed ${seed}, case ${number}: ${request.slice(0, SHOWN_CHARACTERS)}`)
    console.log(`  judge ${JSON.stringify(theirs).slice(0, SHOWN_CHARACTERS)}\n  ours  ${JSON.stringify(own).slice(0, SHOWN_CHARACTERS)}`)
  }
  tally.elapsedMs = performance.now() - began
  return tally
}

function printTallies(tallies: readonly Tally[], { seed, findings }: JudgeOptions): void {
  const rows = tallies.map(({ subject, cases, differences, elapsedMs, skipped }) => [
    subject,
    cases.toLocaleString('en'),
    differences.toLocaleString('en'),
    (elapsedMs / 1000).toFixed(1),
    skipped ?? (differences === 0 ? 'agreed' : 'DIFFERENT'),
  ])
  const table = [['subject', 'cases', 'differences', 'seconds', 'result'], ...rows]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => (row[column] as string).length)))
  console.log()
  for (const row of table) {
    console.log(
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] as number) : i < 4 ? cell.padStart(widths[i] as number) : cell)).join('  '),
    )
  }
  const total = tallies.reduce((sum, { cases }) => sum + cases, 0)
  const different = tallies.reduce((sum, { differences }) => sum + differences, 0)
  console.log(`\n${total.toLocaleString('en')} cases, ${different.toLocaleString('en')} differences, seed ${seed}`)
  if (different > 0) console.log(`the differences are kept in ${findings}`)
}
