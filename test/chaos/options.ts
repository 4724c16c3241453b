import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

export interface ChaosOptions {
  readonly minutes: number
  readonly seed: number
  readonly portOffset: number
  readonly out: string | null
}

export const USAGE = `usage: npm run chaos -- [--minutes N] [--seed N] [--port-offset N] [--out FOLDER]
  --minutes N      duration of the disturbances (30)
  --seed N         repeats the schedule of this seed; by default a new one
  --port-offset N  added to every port of the network (9000)
  --help           this text
  --out FOLDER     keeps logs, heads and the schedule; by default only a failed run keeps them, in a temporary folder`

const DEFAULT_MINUTES = 30
const DEFAULT_PORT_OFFSET = 9_000
const MAX_PORT_OFFSET = 23_000
const MAX_SEED = 2 ** 31 - 1

export function readOptions(argv: readonly string[], nowMs: number): ChaosOptions | null {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...argv],
    options: { minutes: text, seed: text, 'port-offset': text, out: text, help: { type: 'boolean' } },
  })
  if (values.help === true) return null
  const number = (name: 'minutes' | 'seed' | 'port-offset', fallback: number, least: number, most: number): number => {
    const given = values[name]
    if (given === undefined) return fallback
    const value = Number(given)
    if (Number.isSafeInteger(value) && value >= least && value <= most) return value
    throw new Error(`--${name}: expected a whole number from ${least} to ${most}, got ${given}\n${USAGE}`)
  }
  return {
    minutes: number('minutes', DEFAULT_MINUTES, 1, 24 * 60),
    seed: number('seed', nowMs % MAX_SEED, 0, MAX_SEED),
    portOffset: number('port-offset', DEFAULT_PORT_OFFSET, 0, MAX_PORT_OFFSET),
    out: values.out === undefined ? null : resolve(values.out),
  }
}
