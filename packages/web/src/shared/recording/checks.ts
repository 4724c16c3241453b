/** Checks of single values of a recording, which is outside input. All throw Error with the place of the value. */
import type { FaultMark, Head, Machine, ViolationMark } from './recording.ts'
import { RECORDING_LIMITS } from './recording.ts'

export type Json = Readonly<Record<string, unknown>>

export function objectAt(value: unknown, where: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  throw new Error(`${where}: expected an object`)
}

export function listAt(value: unknown, where: string, most: number): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${where}: expected a list`)
  if (value.length > most) throw new Error(`${where}: expected at most ${most} entries, got ${value.length}`)
  return value
}

export function numberAt(value: unknown, where: string, most = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === 'number' && value >= 0 && value <= most) return value
  throw new Error(`${where}: expected a number from 0 to ${most}`)
}

export function wholeAt(value: unknown, where: string, most = Number.MAX_SAFE_INTEGER): number {
  if (Number.isInteger(value)) return numberAt(value, where, most)
  throw new Error(`${where}: expected a whole number from 0 to ${most}`)
}

export function textAt(value: unknown, where: string, longest: number): string {
  if (typeof value === 'string' && value.length <= longest) return value
  throw new Error(`${where}: expected a text of at most ${longest} characters`)
}

export function flagAt(value: unknown, where: string): boolean {
  if (typeof value === 'boolean') return value
  throw new Error(`${where}: expected true or false`)
}

/** The index of one of `count` things. */
export function indexAt(value: unknown, where: string, count: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < count) return value
  throw new Error(`${where}: expected the index of one of ${count} machines`)
}

export function headAt(value: unknown, where: string): Head {
  const [number, hash] = listAt(value, where, 2)
  return { number: wholeAt(number, `${where}[0]`), hash: hashAt(hash, `${where}[1]`) }
}

export function hashAt(value: unknown, where: string): string {
  if (typeof value === 'string' && /^[0-9a-f]{8}$/.test(value)) return value
  throw new Error(`${where}: expected the first eight digits of a hash`)
}

export function machineAt(value: unknown, where: string): Machine {
  const json = objectAt(value, where)
  const roles = listAt(json.roles, `${where}.roles`, RECORDING_LIMITS.processesOfMachine)
  return {
    name: textAt(json.name, `${where}.name`, RECORDING_LIMITS.name),
    roles: roles.map((role, i) => textAt(role, `${where}.roles[${i}]`, RECORDING_LIMITS.name)),
  }
}

export function faultAt(value: unknown, where: string): FaultMark {
  const json = objectAt(value, where)
  return {
    atMs: numberAt(json.atMs, `${where}.atMs`),
    durationMs: numberAt(json.durationMs, `${where}.durationMs`),
    kind: textAt(json.kind, `${where}.kind`, RECORDING_LIMITS.name),
    victim: textAt(json.victim, `${where}.victim`, 2 * RECORDING_LIMITS.name),
    text: textAt(json.text, `${where}.text`, RECORDING_LIMITS.text),
  }
}

export function violationAt(value: unknown, where: string): ViolationMark {
  const json = objectAt(value, where)
  return {
    atMs: numberAt(json.atMs, `${where}.atMs`),
    rule: textAt(json.rule, `${where}.rule`, RECORDING_LIMITS.text),
    text: textAt(json.text, `${where}.text`, RECORDING_LIMITS.text),
  }
}
