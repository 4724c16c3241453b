import { parseArgs } from 'node:util'
import { FAULT_KINDS, type RunPlan, readUpgrades, UPGRADE_FORKS } from '@keelson/simulator'
import type { LogLevel } from './one-run.ts'

export interface SimulateOptions {
  /** The first and the last, which are equal for one run. */
  readonly seeds: readonly [number, number]
  readonly plan: Omit<RunPlan, 'seed'>
  /** A file that decides all of the above. */
  readonly schedule: string | null
  readonly workers: number
  /** After so many minutes no run begins. */
  readonly minutes: number
  /** Null if a failing run is not shrunk. */
  readonly shrinkMinutes: number | null
  readonly save: string | null
  /** Draws the run while it goes on. */
  readonly watch: boolean
  /** Simulated seconds in a real second at most; null for as fast as it can. */
  readonly speed: number | null
  /** The file that gets a recording. */
  readonly record: string | null
  readonly json: boolean
  readonly log: LogLevel
}

const COLUMNS = 5
const COLUMN_WIDTH = 20

function columns(names: readonly string[]): string {
  const lines = Array.from({ length: Math.ceil(names.length / COLUMNS) }, (_, i) => names.slice(i * COLUMNS, (i + 1) * COLUMNS))
  return lines
    .map(
      (line) =>
        `  ${line
          .map((name) => name.padEnd(COLUMN_WIDTH))
          .join('')
          .trimEnd()}`,
    )
    .join('\n')
}

export const USAGE = `usage: npm run simulate -- [--seed N | --seeds A..B | --schedule FILE] [--days D] [--sequencers N] [--validators N] [--tps N]
                               [--faults none|swarm|all|KIND,...] [--fault-rate R] [--workers N] [--minutes M]
                               [--recovery M] [--shrink M] [--save FILE] [--real-rpc] [--real-crypto]
                               [--staking] [--upgrade FORK@SECONDS,...] [--l1-finality N] [--frame-bytes N]
                               [--watch] [--speed X] [--record FILE] [--log LEVEL] [--json]

Runs a network of a sequencer, validators, a batcher and a proposer on simulated time, L1, links and disks, in this process.
The same options give the same run on every machine. The exit code is 1 when a rule was broken.

  --seed N         decides everything that happens; by default a new one, which is printed
  --seeds A..B     one run after the other, and a table at the end
  --schedule FILE  runs a file that --save wrote, with its seed, network and faults
  --days D         simulated days, also a fraction (0.05)
  --sequencers N   1 to 3; with several, each has a conductor, and they share an etcd (1)
  --validators N   nodes beside the sequencers (2)
  --tps N          transactions a second of the users, also a fraction (1)
  --faults LIST    none, all, a list of the kinds below, or swarm, which leaves kinds and rates to the seed (none);
                   they end before the run does
  --fault-rate R   multiplies how often faults happen (1)
  --recovery M     minutes after the last fault in which all must be well again; a run goes on until then (30)
  --workers N      processes that share the seeds of --seeds (1)
  --minutes M      with --seeds: begins no run after M minutes
  --shrink M       looks for M minutes for a smaller schedule that breaks the same rule, and prints it
  --save FILE      writes the schedule of the run, or the smaller one of --shrink
  --real-rpc       JSON-RPC between all parts of the rollup, as with every eighth seed; else objects, which is faster
  --real-crypto    real KZG instead of hashes that stand in for it, and signers are recovered by every node
  --staking        validators stake, attest and report offences, and old-protection, two-machines and double-vote can
                   happen; without it they only follow
  --upgrade LIST   FORK@SECONDS after genesis, for each fork that activates during the run (${UPGRADE_FORKS.join(', ')});
                   the chain begins with the fork before the first; swarm leaves it to the seed (none: the newest at genesis)
  --l1-finality N  L1 blocks until one is final (64); with fewer, a short run has final blocks, proposals and withdrawals
  --frame-bytes N  batches go into calldata, in frames of at most N bytes and several frames a channel
  --watch          draws machines, heads, links and faults while the run goes on; a line a minute where no terminal is
  --speed X        runs at most X times as fast as real time (as fast as it can)
  --record FILE    writes what --watch draws for the page Simulation of keelson web, about 6 MB for a day
  --log LEVEL      prints the logs of all roles: error, warn, info or debug (silent)
  --json           prints one line for each run: seed, days, traceHash, speedup, events, violations
  --help           this text

kinds of faults:
${columns(FAULT_KINDS.map(({ name }) => name))}

examples:
  npm run simulate -- --seed 7                          an hour and twelve minutes
  npm run simulate -- --seed 7 --days 1 --json          a day, for a program to read
  npm run simulate -- --seed 7 --faults swarm           prints the faults at the end, as a story
  npm run simulate -- --seeds 1..100 --faults swarm --workers 2
  npm run simulate -- --seed 7 --faults swarm --shrink 20 --save failure.json
  npm run simulate -- --seed 7 --faults swarm --watch --record seed-7.jsonl
  npm run simulate -- --seed 7 --log info | grep batcher`

const DEFAULT_DAYS = 0.05
const MAX_DAYS = 366
const MAX_SEED = 2 ** 31 - 1
const MAX_WORKERS = 64
const MAX_MINUTES = 1_000_000
const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const
const MAX_SPEED = 1_000_000
const FRACTIONS = new Set(['speed', 'days', 'tps', 'fault-rate', 'minutes', 'shrink', 'recovery'])

/** Null when help was asked for. Throws an Error with the usage. */
export function readOptions(argv: readonly string[], newSeed: () => number): SimulateOptions | null {
  const { values } = parse(argv)
  if (values.help === true) return null
  const refuse = (text: string): never => {
    throw new Error(`${text}\n\n${USAGE}`)
  }
  const toNumber = (name: string, given: string, least: number, most: number) => {
    const value = Number(given)
    const fits = given.trim() !== '' && value >= least && value <= most && (FRACTIONS.has(name) || Number.isInteger(value))
    return fits ? value : refuse(`--${name}: expected a number from ${least} to ${most}, got ${given}`)
  }
  const number = <T>(name: keyof typeof values, fallback: () => T, least: number, most: number) => {
    const given = values[name]
    return typeof given === 'string' ? toNumber(name, given, least, most) : fallback()
  }
  const seeds = (): readonly [number, number] => {
    const range = values.seeds
    if (range === undefined) {
      const seed = number('seed', newSeed, 0, MAX_SEED)
      return [seed, seed]
    }
    const [first = '', last = '', ...rest] = range.split('..')
    const ends = [toNumber('seeds', first, 0, MAX_SEED), toNumber('seeds', last, 0, MAX_SEED)] as const
    return rest.length === 0 && ends[0] <= ends[1] ? ends : refuse(`--seeds: expected A..B, got ${range}`)
  }
  const ways = ['seed', 'seeds', 'schedule'] as const
  if (ways.filter((name) => values[name] !== undefined).length > 1) refuse('--seed, --seeds and --schedule exclude each other')
  const log = LOG_LEVELS.find((level) => level === (values.log ?? 'silent'))
  if (values.seeds !== undefined && (values.shrink !== undefined || values.save !== undefined)) refuse('--shrink and --save need one seed')
  const { watch = false, record = null } = values
  if (values.seeds !== undefined && (watch || record !== null || values.speed !== undefined)) {
    refuse('--watch, --speed and --record need one seed')
  }
  if (watch && values.json === true) refuse('--watch and --json exclude each other')
  return {
    seeds: seeds(),
    plan: {
      days: number('days', () => DEFAULT_DAYS, 0.001, MAX_DAYS),
      ...(values.sequencers === undefined ? {} : { sequencers: number('sequencers', () => 1, 1, 3) }),
      validators: number('validators', () => 2, 0, 20),
      transactionsPerSec: number('tps', () => 1, 0, 1_000),
      kinds: kindsOf(values.faults ?? 'none'),
      rate: number('fault-rate', () => 1, 0.01, 100),
      ...(values['real-rpc'] === true ? { realRpc: true } : {}),
      ...(values['real-crypto'] === true ? { realCrypto: true } : {}),
      ...(values.staking === true ? { staking: true } : {}),
      ...(values.upgrade === undefined ? {} : { upgrades: upgradesOf(values.upgrade) }),
      ...(values['l1-finality'] === undefined ? {} : { l1FinalityBlocks: number('l1-finality', () => 0, 2, 64) }),
      ...(values['frame-bytes'] === undefined ? {} : { frameBytes: number('frame-bytes', () => 0, 1_000, 120_000) }),
      recoveryMinutes: number('recovery', () => 30, 1, 1_440),
    },
    schedule: values.schedule ?? null,
    workers: number('workers', () => 1, 1, MAX_WORKERS),
    minutes: number('minutes', () => MAX_MINUTES, 0.1, MAX_MINUTES),
    shrinkMinutes: number('shrink', () => null, 0.1, MAX_MINUTES),
    save: values.save ?? null,
    watch,
    speed: number('speed', () => null, 0.01, MAX_SPEED),
    record,
    json: values.json === true,
    log: log ?? refuse(`--log: expected one of ${LOG_LEVELS.join(', ')}, got ${values.log}`),
  }
}

function kindsOf(list: string): RunPlan['kinds'] {
  const kinds = FAULT_KINDS.map(({ name }) => name)
  if (list === 'swarm') return list
  if (list === 'none') return []
  if (list === 'all') return kinds
  const names = list.split(',')
  const unknown = names.find((name) => !kinds.includes(name))
  if (unknown === undefined) return names
  throw new Error(`--faults: expected none, swarm, all or a list of ${kinds.join(', ')}, got ${unknown}\n\n${USAGE}`)
}

function upgradesOf(list: string): NonNullable<RunPlan['upgrades']> {
  if (list === 'swarm') return list
  try {
    return readUpgrades(list)
  } catch (error) {
    throw new Error(`--upgrade: ${(error as Error).message}\n\n${USAGE}`)
  }
}

function parse(argv: readonly string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const places = {
    schedule: text,
    save: text,
    record: text,
    log: text,
    watch: flag,
    json: flag,
    help: flag,
    'real-rpc': flag,
    'real-crypto': flag,
    staking: flag,
    upgrade: text,
  }
  const numbers = {
    seed: text,
    seeds: text,
    days: text,
    sequencers: text,
    validators: text,
    tps: text,
    workers: text,
    minutes: text,
    shrink: text,
    speed: text,
    'l1-finality': text,
    'frame-bytes': text,
  }
  try {
    return parseArgs({ args: [...argv], options: { ...numbers, ...places, faults: text, 'fault-rate': text, recovery: text } })
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
  }
}
