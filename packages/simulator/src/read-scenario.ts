/** Reads a scenario that a person may have edited: nothing is ignored, and every number has a range. */
import { messageOf } from '@keelson/primitives'
import type { Fault, FaultKind, Machines } from './faults/fault-kind.ts'
import { FAULT_KINDS, faultKind } from './faults/fault-kinds.ts'
import { machinesOf } from './faults/machines.ts'
import { whyNoVictim } from './faults/needs.ts'
import { type FaultParameters, fraction, numberIn, whole } from './faults/parameters.ts'
import type { Scenario } from './scenario.ts'
import { checkUpgrades, type Upgrade } from './upgrades/upgrades.ts'

type Json = Readonly<Record<string, unknown>>

const MOST_DAYS = 366
const MOST_MS = MOST_DAYS * 86_400_000

export const SCENARIO_RANGES = {
  seed: whole(0, 2 ** 31 - 1),
  days: fraction(0.001, MOST_DAYS),
  sequencers: whole(1, 3),
  validators: whole(0, 20),
  transactionsPerSec: fraction(0, 1_000),
  recoveryMinutes: fraction(1, 1_440),
  l1FinalityBlocks: whole(2, 64),
  frameBytes: whole(1_000, 120_000),
} as const

const FLAGS = ['realRpc', 'realCrypto', 'staking'] as const
const FIELDS: readonly string[] = [...Object.keys(SCENARIO_RANGES), ...FLAGS, 'about', 'upgrades', 'faults']
const FAULT_FIELDS: readonly string[] = ['atMs', 'kind', 'victim', 'durationMs', 'parameters']

/** Throws an Error that names the first wrong value. */
export function readScenario(text: string): Scenario {
  const json = objectOf(parse(text), 'the scenario')
  refuseOthers(json, 'the scenario', FIELDS)
  const number = (name: keyof typeof SCENARIO_RANGES) => numberIn(json[name], name, SCENARIO_RANGES[name])
  const optional = <T>(name: string, read: (value: unknown) => T) => (json[name] === undefined ? {} : { [name]: read(json[name]) })
  const numberIfAny = (name: keyof typeof SCENARIO_RANGES) => optional(name, () => number(name))
  const flagIfAny = (name: (typeof FLAGS)[number]) => optional(name, (value) => flagIn(value, name))
  const network: Omit<Scenario, 'faults'> = {
    ...optional('about', (value) => textIn(value, 'about')),
    seed: number('seed'),
    days: number('days'),
    ...numberIfAny('sequencers'),
    validators: number('validators'),
    transactionsPerSec: number('transactionsPerSec'),
    ...flagIfAny('realRpc'),
    ...flagIfAny('realCrypto'),
    ...flagIfAny('staking'),
    ...optional('upgrades', upgradesIn),
    ...numberIfAny('l1FinalityBlocks'),
    ...numberIfAny('frameBytes'),
    recoveryMinutes: number('recoveryMinutes'),
  }
  const machines = machinesOf(network.validators, network.sequencers, network.staking)
  const faults = listIn(json.faults, 'faults').map((fault, i) => readFault(objectOf(fault, `faults[${i}]`), `faults[${i}]`, machines))
  return { ...network, faults: faults.sort((a, b) => a.atMs - b.atMs) }
}

function readFault(json: Json, where: string, machines: Machines): Fault {
  refuseOthers(json, where, FAULT_FIELDS)
  const kind = typeof json.kind === 'string' ? faultKind(json.kind) : null
  if (kind === null) throw new Error(`${where}.kind: expected one of ${FAULT_KINDS.map(({ name }) => name).join(', ')}, got ${json.kind}`)
  const none = whyNoVictim(kind, machines)
  if (none !== null) throw new Error(`${where}.kind: ${none}`)
  const victims = kind.victims(machines)
  if (typeof json.victim !== 'string' || !victims.includes(json.victim)) {
    throw new Error(`${where}.victim: expected one of ${victims.join(', ')}, got ${json.victim}`)
  }
  return {
    atMs: numberIn(json.atMs, `${where}.atMs`, fraction(0, MOST_MS)),
    kind: kind.name,
    victim: json.victim,
    durationMs: numberIn(json.durationMs, `${where}.durationMs`, fraction(0, MOST_MS)),
    parameters: readParameters(kind, objectOf(json.parameters ?? {}, `${where}.parameters`), `${where}.parameters`, machines),
  }
}

function readParameters({ name: kind, parameters }: FaultKind, json: Json, where: string, { all }: Machines): FaultParameters {
  if (Object.keys(parameters).length === 0 && Object.keys(json).length > 0) throw new Error(`${where}: ${kind} takes no parameters`)
  refuseOthers(json, where, Object.keys(parameters))
  return Object.fromEntries(
    Object.entries(parameters).map(([name, type]) => {
      const value = json[name]
      const at = `${where}.${name}`
      if (type === 'flag') return [name, flagIn(value, at)]
      if (type !== 'names') return [name, numberIn(value, at, type)]
      if (Array.isArray(value) && value.every((one) => all.includes(one))) return [name, value as string[]]
      throw new Error(`${at}: expected a list of ${all.join(', ')}, got ${value}`)
    }),
  )
}

function upgradesIn(value: unknown): readonly Upgrade[] {
  try {
    return checkUpgrades(listIn(value, 'the value').map((upgrade) => objectOf(upgrade, 'an upgrade') as { fork: unknown; atSec: unknown }))
  } catch (error) {
    throw new Error(`upgrades: ${messageOf(error)}`)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`expected JSON, as --save writes it: ${messageOf(error)}`)
  }
}

function refuseOthers(json: Json, where: string, fields: readonly string[]): void {
  const other = Object.keys(json).find((name) => !fields.includes(name))
  if (other !== undefined) throw new Error(`${where}: ${other} is unknown; expected ${fields.join(', ')}`)
}

function objectOf(value: unknown, where: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  throw new Error(`${where}: expected an object`)
}

function listIn(value: unknown, where: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new Error(`${where}: expected a list`)
}

function flagIn(value: unknown, where: string): boolean {
  if (typeof value === 'boolean') return value
  throw new Error(`${where}: expected true or false, got ${value}`)
}

function textIn(value: unknown, where: string): string {
  if (typeof value === 'string') return value
  throw new Error(`${where}: expected a text`)
}
