import { parseArgs } from 'node:util'
import { FAULT_KINDS } from './faults/fault-kinds.ts'

export interface SimulateOptions {
  readonly seed: number
  readonly days: number
  readonly validators: number
  readonly transactionsPerSec: number
  /** Names of kinds; 'swarm' leaves the choice to the seed. */
  readonly faults: readonly string[] | 'swarm'
  readonly json: boolean
  readonly log: 'silent' | 'error' | 'warn' | 'info' | 'debug'
}

export const USAGE = `usage: npm run simulate -- [--seed N] [--days D] [--validators N] [--tps N]
                               [--faults none|swarm|all|KIND,...] [--log LEVEL] [--json]

Runs a network of a sequencer, validators, a batcher and a proposer on simulated time, L1, links and disks, in this process.
The same options give the same run on every machine. The exit code is 1 when a rule was broken.

  --seed N        decides everything that happens; by default a new one, which is printed
  --days D        simulated days, also a fraction (0.05)
  --validators N  nodes beside the sequencer (2)
  --tps N         transactions a second of the users, also a fraction (1)
  --faults LIST   none, all, or kinds: ${FAULT_KINDS.map(({ name }) => name).join(', ')};
                  swarm leaves kinds and rates to the seed (none); they end half an hour before the run does
  --log LEVEL     prints the logs of all roles: error, warn, info or debug (silent)
  --json          prints one line: seed, days, traceHash, speedup, events, violations
  --help          this text

examples:
  npm run simulate -- --seed 7                          an hour and twelve minutes
  npm run simulate -- --seed 7 --days 1 --json          a day, for a program to read
  npm run simulate -- --seed 7 --faults swarm           prints the faults at the end, as a story
  npm run simulate -- --seed 7 --log info | grep batcher`

const DEFAULT_DAYS = 0.05
const MAX_DAYS = 366
const MAX_SEED = 2 ** 31 - 1
const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const

/** Null when help was asked for. Throws an Error with the usage. */
export function readOptions(argv: readonly string[], newSeed: () => number): SimulateOptions | null {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const { values } = parse(() =>
    parseArgs({
      args: [...argv],
      options: { seed: text, days: text, validators: text, tps: text, log: text, faults: text, json: flag, help: flag },
    }),
  )
  if (values.help === true) return null
  const number = (name: 'seed' | 'days' | 'validators' | 'tps', fallback: () => number, [least, most]: readonly [number, number]) => {
    const given = values[name]
    if (given === undefined) return fallback()
    const value = Number(given)
    const fits = given.trim() !== '' && value >= least && value <= most && (name === 'days' || name === 'tps' || Number.isInteger(value))
    if (!fits) throw new Error(`--${name}: expected a number from ${least} to ${most}, got ${given}\n\n${USAGE}`)
    return value
  }
  const log = LOG_LEVELS.find((level) => level === (values.log ?? 'silent'))
  if (log === undefined) throw new Error(`--log: expected one of ${LOG_LEVELS.join(', ')}, got ${values.log}\n\n${USAGE}`)
  return {
    seed: number('seed', newSeed, [0, MAX_SEED]),
    days: number('days', () => DEFAULT_DAYS, [0.001, MAX_DAYS]),
    validators: number('validators', () => 2, [0, 20]),
    transactionsPerSec: number('tps', () => 1, [0, 1_000]),
    faults: faultsOf(values.faults ?? 'none'),
    json: values.json === true,
    log,
  }
}

function faultsOf(list: string): SimulateOptions['faults'] {
  const kinds = FAULT_KINDS.map(({ name }) => name)
  if (list === 'swarm') return list
  if (list === 'none') return []
  if (list === 'all') return kinds
  const names = list.split(',')
  const unknown = names.find((name) => !kinds.includes(name))
  if (unknown === undefined) return names
  throw new Error(`--faults: expected none, swarm, all or a list of ${kinds.join(', ')}, got ${unknown}\n\n${USAGE}`)
}

function parse<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
  }
}
