import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

export const PROGRAMS = ['op-geth', 'op-node', 'op-batcher', 'op-proposer', 'kona-node'] as const
export type Program = (typeof PROGRAMS)[number]

export type Programs = Readonly<Partial<Record<Program, string>>>

export interface InteropOptions {
  readonly programs: Programs
  readonly versions: readonly (readonly [Program, string])[]
  readonly preset: string | null
  readonly grep: string | null
  readonly portOffset: number
  readonly patience: number
  readonly keep: boolean
  /** Path or URL, for the comparison of JSON-RPC. */
  readonly geth: string | null
  readonly requests: number
  readonly seed: number
}

const DEFAULT_PORT_OFFSET = 13_000
const MAX_PORT_OFFSET = 40_000
const MAX_PATIENCE = 20
const DEFAULT_REQUESTS = 4_000
const MAX_REQUESTS = 1_000_000
const DEFAULT_SEED = 1
const VERSION_TIMEOUT_MS = 20_000

export function helpText(presets: readonly string[]): string {
  return [
    'npm run test:interop -- [options]',
    '',
    ...PROGRAMS.map((program) => `  --${program.padEnd(18)} path of the ${program} binary; without it the rows that need it do not run`),
    `  --preset NAME        only this network: ${presets.join(', ')}`,
    '  --grep TEXT          only rows whose name contains this',
    `  --port-offset N      added to every port of the run (${DEFAULT_PORT_OFFSET})`,
    '  --patience N         multiplies every deadline, for a slow machine (1)',
    '  --keep               keeps folders and logs',
    '  --geth PATH|URL      geth-rpc: a binary of geth, or a running one with the chain that the preset writes',
    `  --requests N         geth-rpc: how many requests (${DEFAULT_REQUESTS})`,
    `  --seed N             geth-rpc: which requests (${DEFAULT_SEED})`,
    '  --help               this text',
    '',
    'Ends with `N passed, N failed`; exit code 0 when none failed and at least one ran, 1 otherwise, 2 on wrong options.',
  ].join('\n')
}

export function readOptions(args: readonly string[], presets: readonly string[]): InteropOptions | null {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...Object.fromEntries(PROGRAMS.map((program) => [program, text])),
      preset: text,
      grep: text,
      'port-offset': text,
      patience: text,
      keep: { type: 'boolean' },
      geth: text,
      requests: text,
      seed: text,
      help: { type: 'boolean' },
    },
  })
  const given = values as Readonly<Record<string, string | boolean | undefined>>
  if (given.help === true) return null
  const preset = asText(given.preset)
  if (preset !== null && !presets.includes(preset)) throw new Error(`--preset takes one of ${presets.join(', ')}, got ${preset}`)
  const portOffset = Number(given['port-offset'] ?? DEFAULT_PORT_OFFSET)
  if (!Number.isInteger(portOffset) || portOffset < 0 || portOffset > MAX_PORT_OFFSET) {
    throw new Error(`--port-offset takes a whole number from 0 to ${MAX_PORT_OFFSET}, got ${given['port-offset']}`)
  }
  const patience = Number(given.patience ?? 1)
  if (!(patience >= 1 && patience <= MAX_PATIENCE))
    throw new Error(`--patience takes a number from 1 to ${MAX_PATIENCE}, got ${given.patience}`)
  const whole = (name: string, value: string | null, fallback: number, [least, most]: readonly [number, number]) => {
    const given = Number(value ?? fallback)
    if (Number.isSafeInteger(given) && given >= least && given <= most && value !== '') return given
    throw new Error(`--${name} takes a whole number from ${least} to ${most}, got ${value}`)
  }
  const geth = asText(given.geth)
  if (geth !== null && !/^https?:\/\//.test(geth) && !existsSync(geth))
    throw new Error(`--geth: there is no file ${geth}, and it is no URL`)
  const programs: Partial<Record<Program, string>> = {}
  const versions: (readonly [Program, string])[] = []
  for (const program of PROGRAMS) {
    const path = asText(given[program])
    if (path === null) continue
    if (!existsSync(path)) throw new Error(`--${program}: there is no file ${path}`)
    versions.push([program, versionOf(program, path)])
    programs[program] = resolve(path)
  }
  return {
    programs,
    versions,
    preset,
    grep: asText(given.grep),
    portOffset,
    patience,
    keep: given.keep === true,
    geth: geth === null || /^https?:/.test(geth) ? geth : resolve(geth),
    requests: whole('requests', asText(given.requests), DEFAULT_REQUESTS, [1, MAX_REQUESTS]),
    seed: whole('seed', asText(given.seed), DEFAULT_SEED, [0, 2 ** 31 - 1]),
  }
}

function versionOf(program: Program, path: string): string {
  let said: string
  try {
    said = execFileSync(resolve(path), ['--version'], { encoding: 'utf8', timeout: VERSION_TIMEOUT_MS, stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    throw new Error(`--${program}: ${path} --version failed: ${String((error as Error).message).split('\n')[0]}`)
  }
  const line = said.trim().split('\n')[0] ?? ''
  if (!line.toLowerCase().startsWith(program))
    throw new Error(`--${program}: ${path} reports '${line.slice(0, 80)}', which is not ${program}`)
  return line
}

function asText(value: string | boolean | undefined): string | null {
  return typeof value === 'string' ? value : null
}
