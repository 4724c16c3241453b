/** What the interoperation run is told: where foreign binaries are, and what of it to run. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

export const PROGRAMS = ['op-geth', 'op-node', 'op-batcher', 'kona-node'] as const
export type Program = (typeof PROGRAMS)[number]

/** Absent: not given, so rows that need it do not run. */
export type Programs = Readonly<Partial<Record<Program, string>>>

export interface InteropOptions {
  readonly programs: Programs
  readonly preset: string | null
  /** Only rows whose name contains this. */
  readonly grep: string | null
  readonly portOffset: number
  /** Folders and logs stay after the run. */
  readonly keep: boolean
}

/** Ports of the development network end at 19545 above this, those of the foreign programs begin at 10000 above it. */
const DEFAULT_PORT_OFFSET = 13_000

/** Throws an Error that names the option. */
export function readOptions(args: readonly string[]): InteropOptions {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...Object.fromEntries(PROGRAMS.map((program) => [program, text])),
      preset: text,
      grep: text,
      'port-offset': text,
      keep: { type: 'boolean' },
    },
  })
  const given = values as Readonly<Record<string, string | boolean | undefined>>
  const programs: Partial<Record<Program, string>> = {}
  for (const program of PROGRAMS) {
    const path = given[program]
    if (typeof path !== 'string') continue
    if (!existsSync(path)) throw new Error(`--${program}: there is no file ${path}`)
    programs[program] = resolve(path)
  }
  const portOffset = Number(given['port-offset'] ?? DEFAULT_PORT_OFFSET)
  if (!Number.isInteger(portOffset) || portOffset < 0 || portOffset > 40_000) {
    throw new Error(`--port-offset takes a whole number from 0 to 40000, got ${given['port-offset']}`)
  }
  return { programs, preset: asText(given.preset), grep: asText(given.grep), portOffset, keep: given.keep === true }
}

function asText(value: string | boolean | undefined): string | null {
  return typeof value === 'string' ? value : null
}
