import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { PROPERTY_TESTS } from './property-tests.ts'
import type { FuzzSubject } from './subject.ts'

export interface FuzzOptions {
  readonly subjects: readonly FuzzSubject[]
  readonly propertyTests: boolean
  readonly cases: number | null
  readonly seed: number
  readonly replay: boolean
  /** Null runs one round. */
  readonly minutes: number | null
  readonly jobs: number
}

const USAGE = `usage: npm run fuzz -- [--subject NAME]... [--cases N] [--seed N] [--minutes N] [--jobs N]
       npm run fuzz -- derivation --judge PATH  (compares with an external decoder; see test/fuzz/judge/README.md)
       npm run fuzz -- evm  (compares EVM engines; npm run fuzz -- evm --help lists its options)
  --subject NAME  a decoder or part of the node, or ${PROPERTY_TESTS}: those of npm test with a new seed
  --cases N    cases of each subject; by default more than a million in total
  --seed N     repeats the cases of this seed; by default a new one
  --minutes N  starts rounds with new seeds until N minutes have passed
  --jobs N     worker threads; by default one per core
Failures are printed, kept in .keelson/fuzz/findings.jsonl, and tried first by the next runs without --seed until they pass.`

const MAX_SEED = 2 ** 31 - 1

export function readFuzzOptions(argv: readonly string[], all: readonly FuzzSubject[], nowMs: number): FuzzOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      subject: { type: 'string', multiple: true },
      cases: { type: 'string' },
      seed: { type: 'string' },
      minutes: { type: 'string' },
      jobs: { type: 'string' },
    },
  })
  const number = (name: 'cases' | 'seed' | 'minutes' | 'jobs'): number | null => {
    const text = values[name]
    if (text === undefined) return null
    const value = Number(text)
    if (!Number.isSafeInteger(value) || value < (name === 'seed' ? 0 : 1) || value > MAX_SEED) {
      throw new Error(`--${name}: expected a positive whole number, got ${text}\n${USAGE}`)
    }
    return value
  }
  const names = [...all.map(({ name }) => name), PROPERTY_TESTS]
  const unknown = values.subject?.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new Error(`unknown subject ${unknown}; there are ${names.join(', ')}\n${USAGE}`)
  return {
    subjects: all.filter(({ name }) => values.subject?.includes(name) ?? true),
    propertyTests: values.subject?.includes(PROPERTY_TESTS) ?? true,
    cases: number('cases'),
    seed: number('seed') ?? nowMs % MAX_SEED,
    replay: values.seed === undefined,
    minutes: number('minutes'),
    jobs: number('jobs') ?? availableParallelism(),
  }
}
