import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { TEST_ENGINES } from '../support/test-engine.ts'
import { GROUPS } from './groups/index.ts'

export interface Part {
  readonly index: number
  readonly count: number
}

export interface RunOptions {
  readonly vectors: string
  readonly groups: readonly string[] | null
  readonly grep: string | null
  readonly sample: number | null
  readonly shard: Part
  readonly jobs: number
  readonly resume: string | null
  readonly evm: string
  readonly secondOpinion: boolean
}

const USAGE = `usage: npm run test:conformance -- --vectors DIR [--group NAME]... [--grep TEXT] [--sample N]
  --sample N    at most N cases of each group, without long ones
  --jobs N      worker processes; by default one per core
  --shard I/N   every Nth case only, to divide a run between machines
  --evm NAME    engine that executes: ${TEST_ENGINES.join(', ')}
  --second-opinion
                lets other libraries execute the blocks of chains again, from the witness that our execution recorded
  --resume FILE skips the cases that the file lists as passed and adds new ones; files of shards may be joined.
                A file for other vectors, code or selection is rejected, as is a damaged one.
test/conformance/README.md describes the folder.`

export function readOptions(argv: readonly string[]): RunOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      vectors: { type: 'string' },
      group: { type: 'string', multiple: true },
      grep: { type: 'string' },
      sample: { type: 'string' },
      shard: { type: 'string' },
      jobs: { type: 'string' },
      resume: { type: 'string' },
      evm: { type: 'string' },
      'second-opinion': { type: 'boolean' },
    },
  })
  if (values.vectors === undefined) throw new Error(`the folder of vectors is missing\n${USAGE}`)
  if (!statSync(values.vectors, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`no such folder: ${values.vectors}\n${USAGE}`)
  const unknown = values.group?.find((name) => !GROUPS.some((group) => group.name === name))
  if (unknown !== undefined) throw new Error(`unknown group ${unknown}; there are ${GROUPS.map((g) => g.name).join(', ')}`)
  return {
    vectors: values.vectors,
    groups: values.group ?? null,
    grep: values.grep ?? null,
    sample: values.sample === undefined ? null : count('--sample', values.sample),
    shard: values.shard === undefined ? { index: 0, count: 1 } : readShard(values.shard),
    jobs: values.jobs === undefined ? availableParallelism() : count('--jobs', values.jobs),
    resume: values.resume ?? null,
    evm: engineName(values.evm ?? 'wasm-interpreter'),
    secondOpinion: values['second-opinion'] === true,
  }
}

function count(option: string, text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new Error(`${option} takes a positive number, got ${text}`)
  return value
}

function engineName(text: string): string {
  if (TEST_ENGINES.some((name) => name === text)) return text
  throw new Error(`--evm takes one of ${TEST_ENGINES.join(', ')}, got ${text}`)
}

function readShard(text: string): Part {
  const [index, parts] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).slice(1).map(Number)
  if (index === undefined || parts === undefined || index < 1 || index > parts)
    throw new Error(`--shard takes I/N with I from 1 to N, got ${text}`)
  return { index: index - 1, count: parts }
}
