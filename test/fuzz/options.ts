/** The fuzz runner's command line. */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { PROPERTY_TESTS } from './property-tests.ts'
import type { FuzzSubject } from './subject.ts'

export interface FuzzOptions {
  readonly subjects: readonly FuzzSubject[]
  /** Whether the property tests of the suites are run as well, with a new seed in each round. */
  readonly propertyTests: boolean
  /** Per subject; null for each subject's own number. */
  readonly cases: number | null
  readonly seed: number
  /** Whether findings of earlier runs are tried first. */
  readonly replay: boolean
  /** Rounds with new seeds are begun until so much time has passed; null for one round. */
  readonly minutes: number | null
  readonly jobs: number
}

const USAGE = `usage: npm run fuzz -- [--subject NAME]... [--cases N] [--seed N] [--minutes N] [--jobs N]
       npm run fuzz -- derivation --judge PATH  (compares with a foreign decoder; see test/fuzz/judge/README.md)
  --subject NAME  one of the decoders and parts of the node, or ${PROPERTY_TESTS}: those of npm test with a new seed
  --cases N    so many cases of each subject; when left out, a million and more in all
  --seed N     the same seed makes the same cases; when left out, a new one each time
  --minutes N  goes on with new seeds for so long
  --jobs N     worker threads; all cores when left out
What fails is printed, kept in .keelson/fuzz/findings.jsonl, and tried first by the next run without --seed, until it passes.`

/** Seeds of fast-check are 32-bit integers. */
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
