/** Reads a recording as it arrives, line by line. */
import { faultAt, indexAt, type Json, listAt, machineAt, numberAt, objectAt, textAt, violationAt, wholeAt } from './checks.ts'
import { readFrame } from './read-frame.ts'
import {
  type FaultMark,
  type Frame,
  type Machine,
  RECORDING_FORMAT,
  RECORDING_LIMITS,
  RECORDING_VERSION,
  type Recording,
  type RecordingHeader,
  type ViolationMark,
} from './recording.ts'

const NOT_A_RECORDING = 'expected a recording, which `npm run simulate -- --record FILE` writes'

export class RecordingReader {
  #rest = ''
  #line = 0
  #header: RecordingHeader | null = null
  readonly #machines: Machine[] = []
  readonly #frames: Frame[] = []
  readonly #faults: FaultMark[] = []
  readonly #violations: ViolationMark[] = []

  /** Throws an Error that names the line and the first wrong value in it. */
  push(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#read(line)
    if (this.#rest.length > RECORDING_LIMITS.lineLength) this.#refuseLength(this.#line + 1)
  }

  /** Throws as `push` does, and if there is no frame. */
  end(): Recording {
    const isCut = this.#frames.length > 0 && this.#rest !== '' && !isJson(this.#rest)
    if (this.#rest !== '' && !isCut) this.#read(this.#rest)
    this.#rest = ''
    const header = this.#header
    if (header === null || this.#frames.length === 0) throw new Error('The file has no frames.')
    return { header, machines: this.#machines, frames: this.#frames, faults: this.#faults, violations: this.#violations, isCut }
  }

  #read(line: string): void {
    this.#line++
    if (line.length > RECORDING_LIMITS.lineLength) this.#refuseLength(this.#line)
    try {
      const json = objectAt(JSON.parse(line), 'the line')
      if (this.#header === null) this.#header = readHeader(json)
      else this.#readFrame(json)
    } catch (error) {
      const text = error instanceof SyntaxError ? this.#notJson() : error instanceof Error ? error.message : String(error)
      throw new Error(`Line ${this.#line}: ${text}.`)
    }
  }

  /** Schedules and other JSON files have several lines for one value. */
  #notJson(): string {
    return this.#header === null ? NOT_A_RECORDING : 'expected JSON'
  }

  #refuseLength(line: number): never {
    throw new Error(`Line ${line}: expected at most ${RECORDING_LIMITS.lineLength} characters.`)
  }

  #readFrame(json: Json): void {
    if (this.#frames.length >= RECORDING_LIMITS.frames) throw new Error(`expected at most ${RECORDING_LIMITS.frames} frames`)
    if (json.machines !== undefined) this.#readMachines(objectAt(json.machines, 'machines'))
    const roles = this.#machines.map((machine) => machine.roles.length)
    this.#frames.push(readFrame(json, this.#frames.at(-1) ?? null, roles))
    addAll(this.#faults, json.faults, 'faults', RECORDING_LIMITS.faults, faultAt)
    addAll(this.#violations, json.violations, 'violations', RECORDING_LIMITS.violations, violationAt)
  }

  #readMachines(json: Json): void {
    for (const [key, value] of Object.entries(json)) {
      const where = `machines.${key.slice(0, 20)}`
      const count = Math.min(this.#machines.length + 1, RECORDING_LIMITS.machines)
      this.#machines[indexAt(/^\d{1,3}$/.test(key) ? Number(key) : null, where, count)] = machineAt(value, where)
    }
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function addAll<T>(all: T[], value: unknown, where: string, most: number, read: (one: unknown, where: string) => T): void {
  if (value === undefined) return
  listAt(value, where, most - all.length).forEach((one, i) => {
    all.push(read(one, `${where}[${i}]`))
  })
}

function readHeader(json: Json): RecordingHeader {
  if (json.format !== RECORDING_FORMAT) throw new Error(NOT_A_RECORDING)
  if (json.version !== RECORDING_VERSION)
    throw new Error(`version: expected ${RECORDING_VERSION}; another version of Keelson wrote this file`)
  return {
    format: RECORDING_FORMAT,
    version: RECORDING_VERSION,
    seed: wholeAt(json.seed, 'seed'),
    about: textAt(json.about, 'about', RECORDING_LIMITS.text),
    days: numberAt(json.days, 'days'),
    transactionsPerSec: numberAt(json.transactionsPerSec, 'transactionsPerSec'),
    everyMs: numberAt(json.everyMs, 'everyMs'),
  }
}
