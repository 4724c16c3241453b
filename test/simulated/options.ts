import { parseArgs } from 'node:util'
import { messageOf } from '@keelson/primitives'
import {
  FAULT_KINDS,
  fraction,
  machinesOf,
  type NumberRange,
  numberIn,
  type RunPlan,
  readUpgrades,
  SCENARIO_RANGES,
  whole,
  whyNoVictim,
} from '@keelson/simulator'
import type { LogLevel } from './one-run.ts'

export interface SimulateOptions {
  readonly seed: number
  /** The first and the last; null for one run. */
  readonly seeds: readonly [number, number] | null
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

const TEXT = { type: 'string' } as const
const FLAG = { type: 'boolean' } as const
/** What a schedule decides. */
const PLANNED = {
  days: TEXT,
  sequencers: TEXT,
  validators: TEXT,
  tps: TEXT,
  staking: FLAG,
  upgrade: TEXT,
  'l1-finality': TEXT,
  'frame-bytes': TEXT,
  'real-rpc': FLAG,
  'real-crypto': FLAG,
  faults: TEXT,
  'fault-rate': TEXT,
  recovery: TEXT,
} as const
const OF_ONE_RUN = { shrink: TEXT, save: TEXT, watch: FLAG, speed: TEXT, record: TEXT, log: TEXT } as const
const OF_SEEDS = { workers: TEXT, minutes: TEXT } as const
const WAYS = { seed: TEXT, seeds: TEXT, schedule: TEXT } as const
const OPTIONS = { ...WAYS, ...PLANNED, ...OF_ONE_RUN, ...OF_SEEDS, json: FLAG, help: FLAG } as const

const DEFAULT_DAYS = 0.05
const MAX_MINUTES = 1_000_000
const MINUTES = fraction(0.1, MAX_MINUTES)
const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const

type Values = ReturnType<typeof parse>

/** Null when help was asked for. Throws an Error with one line that names the option, what was expected and the value. */
export function readOptions(argv: readonly string[], newSeed: () => number): SimulateOptions | null {
  const values = parse(argv)
  if (values.help === true) return null
  refuseCombinations(values)
  const log = LOG_LEVELS.find((level) => level === (values.log ?? 'silent'))
  if (log === undefined) throw new Error(`--log: expected one of ${LOG_LEVELS.join(', ')}, got ${values.log}`)
  return {
    seed: numberOf(values, 'seed', SCENARIO_RANGES.seed) ?? newSeed(),
    seeds: values.seeds === undefined ? null : seedsIn(values.seeds),
    plan: planOf(values),
    schedule: values.schedule ?? null,
    workers: numberOf(values, 'workers', whole(1, 64)) ?? 1,
    minutes: numberOf(values, 'minutes', MINUTES) ?? MAX_MINUTES,
    shrinkMinutes: numberOf(values, 'shrink', MINUTES) ?? null,
    save: values.save ?? null,
    watch: values.watch === true,
    speed: numberOf(values, 'speed', fraction(0.01, 1_000_000)) ?? null,
    record: values.record ?? null,
    json: values.json === true,
    log,
  }
}

function parse(argv: readonly string[]) {
  return parseArgs({ args: [...argv], options: OPTIONS }).values
}

/** An option that changes nothing would let its user believe that it did. */
function refuseCombinations(values: Values): void {
  const given = (options: object) => Object.keys(options).filter((name) => values[name as keyof Values] !== undefined)
  const named = (names: readonly string[]) => names.map((name) => `--${name}`).join(', ')
  const [way, ...others] = given(WAYS)
  if (others.length > 0) throw new Error(`${named([way as string, ...others])}: use only one of them`)
  const [planned, ofOneRun, ofSeeds] = [given(PLANNED), given(OF_ONE_RUN), given(OF_SEEDS)]
  if (way === 'schedule' && planned.length > 0) throw new Error(`${named(planned)}: the file of --schedule decides this; edit the file`)
  if (way === 'seeds' && ofOneRun.length > 0) throw new Error(`${named(ofOneRun)}: works with one seed only; use --seed instead of --seeds`)
  if (way !== 'seeds' && ofSeeds.length > 0) throw new Error(`${named(ofSeeds)}: works with several seeds only; use --seeds A..B`)
  if (values.watch === true && values.json === true) throw new Error('--watch, --json: use only one of them')
}

function planOf(values: Values): Omit<RunPlan, 'seed'> {
  const ranges = SCENARIO_RANGES
  const sequencers = numberOf(values, 'sequencers', ranges.sequencers)
  const l1FinalityBlocks = numberOf(values, 'l1-finality', ranges.l1FinalityBlocks)
  const frameBytes = numberOf(values, 'frame-bytes', ranges.frameBytes)
  const network = {
    days: numberOf(values, 'days', ranges.days) ?? DEFAULT_DAYS,
    ...(sequencers === undefined ? {} : { sequencers }),
    validators: numberOf(values, 'validators', ranges.validators) ?? 2,
    transactionsPerSec: numberOf(values, 'tps', ranges.transactionsPerSec) ?? 1,
    rate: numberOf(values, 'fault-rate', fraction(0.01, 100)) ?? 1,
    ...(values['real-rpc'] === true ? { realRpc: true } : {}),
    ...(values['real-crypto'] === true ? { realCrypto: true } : {}),
    ...(values.staking === true ? { staking: true } : {}),
    ...(values.upgrade === undefined ? {} : { upgrades: upgradesOf(values.upgrade) }),
    ...(l1FinalityBlocks === undefined ? {} : { l1FinalityBlocks }),
    ...(frameBytes === undefined ? {} : { frameBytes }),
    recoveryMinutes: numberOf(values, 'recovery', ranges.recoveryMinutes) ?? 30,
  }
  return { ...network, kinds: kindsOf(values.faults ?? 'none', machinesOf(network.validators, sequencers, network.staking)) }
}

function kindsOf(list: string, machines: ReturnType<typeof machinesOf>): RunPlan['kinds'] {
  const all = FAULT_KINDS.map(({ name }) => name)
  if (list === 'swarm') return list
  if (list === 'none') return []
  if (list === 'all') return all
  const names = list.split(',')
  for (const name of names) {
    const kind = FAULT_KINDS.find((known) => known.name === name)
    if (kind === undefined) throw new Error(`--faults: expected none, swarm, all or a list of ${all.join(', ')}, got ${name}`)
    const none = whyNoVictim(kind, machines)
    if (none !== null) throw new Error(`--faults: ${none}`)
  }
  return names
}

function upgradesOf(list: string): NonNullable<RunPlan['upgrades']> {
  if (list === 'swarm') return list
  try {
    return readUpgrades(list)
  } catch (error) {
    throw new Error(`--upgrade: ${messageOf(error)}`)
  }
}

function seedsIn(text: string): readonly [number, number] {
  const ends = /^(\d{1,10})\.\.(\d{1,10})$/.exec(text)?.slice(1).map(Number)
  const [first, last] = ends ?? []
  if (first === undefined || last === undefined || first > last) {
    throw new Error(`--seeds: expected A..B, as in 1..100, with A not above B; got ${text === '' ? 'nothing' : text}`)
  }
  numberIn(last, '--seeds', SCENARIO_RANGES.seed)
  return [first, last]
}

function numberOf(values: Values, name: keyof typeof OPTIONS, range: NumberRange): number | undefined {
  const given = values[name]
  if (typeof given !== 'string') return undefined
  const value = given.trim() === '' ? Number.NaN : Number(given)
  return numberIn(Number.isNaN(value) ? `"${given}"` : value, `--${name}`, range)
}
