/** All that decides a run, as a JSON file. */
import type { Fault, FaultKind, FaultParameters, Machines } from './faults/fault-kind.ts'
import { FAULT_KINDS, faultKind } from './faults/fault-kinds.ts'
import { machinesOf } from './faults/machines.ts'
import { checkUpgrades, type Upgrade } from './upgrades/upgrades.ts'

export interface Scenario {
  /** For a reader: what this run shows. */
  readonly about?: string
  readonly seed: number
  readonly days: number
  /** With more than one, each has a conductor, and they share an etcd. By default one. */
  readonly sequencers?: number
  readonly validators: number
  readonly transactionsPerSec: number
  /** Whether the rollup's parts call each other by JSON-RPC; by default the seed decides. */
  readonly realRpc?: boolean
  /** Whether KZG is real and signers are recovered each time; by default neither. */
  readonly realCrypto?: boolean
  /** Whether validators attest; otherwise they only follow. */
  readonly staking?: boolean
  /** Forks that activate during the run, in the order of time; by default the newest is there from genesis. */
  readonly upgrades?: readonly Upgrade[]
  /** How far below its head L1 is final; by default 64 blocks. */
  readonly l1FinalityBlocks?: number
  /** Batches go into calldata, in frames of so many bytes at most and several frames a channel; by default one frame fits a channel. */
  readonly frameBytes?: number
  /** From the last fault, or the start, until all must be well. */
  readonly recoveryMinutes: number
  /** In the order of their times. */
  readonly faults: readonly Fault[]
}

type Json = Readonly<Record<string, unknown>>

const LIMITS = {
  seed: 2 ** 31 - 1,
  days: 366,
  sequencers: 3,
  validators: 20,
  transactionsPerSec: 1_000,
  recoveryMinutes: 1_440,
  l1FinalityBlocks: 64,
  frameBytes: 120_000,
} as const

/** Throws an Error that names the first wrong value. */
export function readScenario(text: string): Scenario {
  const json = objectOf(JSON.parse(text), 'the scenario')
  const number = (name: keyof typeof LIMITS) => numberIn(json[name], name, LIMITS[name])
  const validators = number('validators')
  if (!Array.isArray(json.faults)) throw new Error('faults: expected a list')
  const sequencers = json.sequencers === undefined ? undefined : numberIn(json.sequencers, 'sequencers', LIMITS.sequencers)
  if (sequencers !== undefined && (sequencers < 1 || !Number.isInteger(sequencers)))
    throw new Error(`sequencers: expected 1 to ${LIMITS.sequencers}, got ${sequencers}`)
  const machines = machinesOf(validators, sequencers, json.staking === true)
  const faults = json.faults.map((fault, i) => readFault(objectOf(fault, `faults[${i}]`), `faults[${i}]`, machines))
  return {
    ...(typeof json.about === 'string' ? { about: json.about } : {}),
    seed: number('seed'),
    days: number('days'),
    ...(sequencers === undefined ? {} : { sequencers }),
    validators,
    transactionsPerSec: number('transactionsPerSec'),
    ...(typeof json.realRpc === 'boolean' ? { realRpc: json.realRpc } : {}),
    ...(typeof json.realCrypto === 'boolean' ? { realCrypto: json.realCrypto } : {}),
    ...(typeof json.staking === 'boolean' ? { staking: json.staking } : {}),
    ...(json.upgrades === undefined ? {} : { upgrades: upgradesIn(json.upgrades) }),
    ...(json.l1FinalityBlocks === undefined ? {} : { l1FinalityBlocks: number('l1FinalityBlocks') }),
    ...(json.frameBytes === undefined ? {} : { frameBytes: number('frameBytes') }),
    recoveryMinutes: number('recoveryMinutes'),
    faults: faults.sort((a, b) => a.atMs - b.atMs),
  }
}

export function scenarioToJson(scenario: Scenario): string {
  const { faults, ...rest } = scenario
  const head = JSON.stringify(rest, null, 2).slice(0, -2)
  const lines = faults.map((fault) => `    ${JSON.stringify(fault)}`)
  return `${head},\n  "faults": [${lines.length === 0 ? '' : `\n${lines.join(',\n')}\n  `}]\n}\n`
}

function upgradesIn(value: unknown): readonly Upgrade[] {
  if (!Array.isArray(value)) throw new Error('upgrades: expected a list')
  try {
    return checkUpgrades(value)
  } catch (error) {
    throw new Error(`upgrades: ${(error as Error).message}`)
  }
}

function readFault(json: Json, where: string, machines: Machines): Fault {
  const kind = typeof json.kind === 'string' ? faultKind(json.kind) : null
  if (kind === null) throw new Error(`${where}.kind: expected one of ${FAULT_KINDS.map(({ name }) => name).join(', ')}, got ${json.kind}`)
  const victims = kind.victims(machines)
  if (typeof json.victim !== 'string' || !victims.includes(json.victim)) {
    throw new Error(`${where}.victim: expected one of ${victims.join(', ')}, got ${json.victim}`)
  }
  return {
    atMs: numberIn(json.atMs, `${where}.atMs`),
    kind: kind.name,
    victim: json.victim,
    durationMs: numberIn(json.durationMs, `${where}.durationMs`),
    parameters: readParameters(kind, objectOf(json.parameters ?? {}, `${where}.parameters`), where, machines),
  }
}

function readParameters({ parameters }: FaultKind, json: Json, where: string, machines: Machines): FaultParameters {
  const unknown = Object.keys(json).find((name) => !(name in parameters))
  if (unknown !== undefined)
    throw new Error(`${where}.parameters: ${unknown} is none of ${Object.keys(parameters).join(', ') || 'nothing'}`)
  return Object.fromEntries(
    Object.entries(parameters).map(([name, type]) => {
      const value = json[name]
      const at = `${where}.parameters.${name}`
      if (type === 'number') return [name, numberIn(value, at)]
      if (type === 'signed') return [name, signedNumber(value, at)]
      if (type === 'flag' && typeof value === 'boolean') return [name, value]
      if (type === 'names' && Array.isArray(value) && value.every((one) => machines.all.includes(one))) return [name, value as string[]]
      throw new Error(`${at}: expected ${type === 'flag' ? 'true or false' : `a list of ${machines.all.join(', ')}`}, got ${value}`)
    }),
  )
}

function objectOf(value: unknown, where: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  throw new Error(`${where}: expected an object`)
}

function numberIn(value: unknown, where: string, most = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === 'number' && value >= 0 && value <= most) return value
  throw new Error(`${where}: expected a number from 0 to ${most}, got ${value}`)
}

function signedNumber(value: unknown, where: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new Error(`${where}: expected a number, got ${value}`)
}
