import { parseArgs } from 'node:util'

export interface JudgeOptions {
  readonly judge: string
  readonly subjects: readonly string[]
  readonly cases: number | null
  readonly seed: number
  readonly findings: string
  readonly again: boolean
}

export const JUDGE_USAGE = `usage: npm run fuzz -- derivation --judge PATH [--subject NAME]... [--cases N] [--seed N] [--findings FILE] [--again]
  --judge PATH     a program that speaks the protocol of test/fuzz/judge/README.md
  --subject NAME   only this subject; may be repeated
  --cases N        cases of each subject; by default a million in total
  --seed N         repeats the cases of this seed; by default a new one
  --findings FILE  file of the differences, one JSON object per line (default .keelson/judge-findings.jsonl)
  --again          repeats only the requests in the findings file`

const MAX_SEED = 2 ** 31 - 1

export function readJudgeOptions(argv: readonly string[], nowMs: number): JudgeOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      judge: { type: 'string' },
      subject: { type: 'string', multiple: true },
      cases: { type: 'string' },
      seed: { type: 'string' },
      findings: { type: 'string' },
      again: { type: 'boolean' },
    },
  })
  if (values.judge === undefined) throw new Error(`--judge: expected the path of a judge\n${JUDGE_USAGE}`)
  const number = (name: 'cases' | 'seed', least: number): number | null => {
    const text = values[name]
    if (text === undefined) return null
    const value = Number(text)
    if (Number.isSafeInteger(value) && value >= least && value <= MAX_SEED) return value
    throw new Error(`--${name}: expected a whole number from ${least} to ${MAX_SEED}, got ${text}\n${JUDGE_USAGE}`)
  }
  return {
    judge: values.judge,
    subjects: values.subject ?? [],
    cases: number('cases', 1),
    seed: number('seed', 0) ?? nowMs % MAX_SEED,
    findings: values.findings ?? '.keelson/judge-findings.jsonl',
    again: values.again ?? false,
  }
}
