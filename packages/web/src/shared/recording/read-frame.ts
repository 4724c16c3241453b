/** One line of a recording applied to the frame before it. Frames share what did not change. */
import { flagAt, hashAt, headAt, indexAt, type Json, listAt, numberAt, objectAt, wholeAt } from './checks.ts'
import {
  type BadLinks,
  type Counters,
  type Frame,
  HEAD_LABELS,
  type Heads,
  type L1Frame,
  type MachineFrame,
  PROCESS_STATES,
  type ProcessState,
  RECORDING_LIMITS,
} from './recording.ts'

const BLANK: MachineFrame = { power: true, processes: [], heads: null }

/** `before` is null for the first frame, which must have L1 and counters. Throws Error with the place of a wrong value. */
export function readFrame(json: Json, before: Frame | null, roles: readonly number[]): Frame {
  const atMs = numberAt(json.t, 't')
  if (before !== null && atMs < before.atMs) throw new Error(`t: expected at least ${before.atMs}`)
  return {
    atMs,
    machines: readMachines(json.nodes, before?.machines ?? [], roles),
    differing: json.differing === undefined ? (before?.differing ?? []) : readDiffering(json.differing, roles.length),
    l1: json.l1 === undefined && before !== null ? before.l1 : readL1(json.l1),
    cuts: json.cuts === undefined ? (before?.cuts ?? []) : readCuts(json.cuts, roles.length),
    badLinks: json.badLinks === undefined ? (before?.badLinks ?? null) : readBadLinks(json.badLinks),
    counters: json.counters === undefined && before !== null ? before.counters : readCounters(json.counters),
  }
}

function readMachines(value: unknown, before: Frame['machines'], roles: readonly number[]): Frame['machines'] {
  const changes = value === undefined ? [] : Object.entries(objectAt(value, 'nodes'))
  if (changes.length === 0 && before.length === roles.length) return before
  const machines = roles.map((_, i) => before[i] ?? BLANK)
  for (const [key, change] of changes) {
    const index = indexAt(/^\d{1,3}$/.test(key) ? Number(key) : null, `nodes.${key.slice(0, 20)}`, roles.length)
    machines[index] = readMachine(objectAt(change, `nodes.${index}`), machines[index] ?? BLANK, `nodes.${index}`, roles[index] ?? 0)
  }
  return machines
}

function readMachine(json: Json, before: MachineFrame, where: string, roles: number): MachineFrame {
  return {
    power: json.power === undefined ? before.power : flagAt(json.power, `${where}.power`),
    processes: json.processes === undefined ? before.processes : readProcesses(json.processes, `${where}.processes`, roles),
    heads: readHeads(json, before.heads, where),
  }
}

function readProcesses(value: unknown, where: string, roles: number): readonly ProcessState[] {
  return listAt(value, where, roles).map((one, i) => {
    const state = PROCESS_STATES.find((name) => name === one)
    if (state === undefined) throw new Error(`${where}[${i}]: expected one of ${PROCESS_STATES.join(', ')}`)
    return state
  })
}

function readHeads(json: Json, before: Heads | null, where: string): Heads | null {
  if (HEAD_LABELS.every((label) => json[label] === undefined)) return before
  const head = (label: (typeof HEAD_LABELS)[number]) =>
    json[label] === undefined && before !== null ? before[label] : headAt(json[label], `${where}.${label}`)
  return { unsafe: head('unsafe'), safe: head('safe'), finalized: head('finalized') }
}

function readDiffering(value: unknown, machines: number): readonly number[] {
  return listAt(value, 'differing', machines).map((one, i) => indexAt(one, `differing[${i}]`, machines))
}

function readL1(value: unknown): L1Frame {
  const [number, hash, finalized, branch, stalled] = listAt(value, 'l1', 5)
  return {
    number: wholeAt(number, 'l1[0]'),
    hash: hashAt(hash, 'l1[1]'),
    finalized: wholeAt(finalized, 'l1[2]'),
    branch: wholeAt(branch, 'l1[3]'),
    stalled: wholeAt(stalled, 'l1[4]', 1) === 1,
  }
}

function readCuts(value: unknown, machines: number): Frame['cuts'] {
  return listAt(value, 'cuts', RECORDING_LIMITS.cuts).map((cut, i) => {
    const [from, to] = listAt(cut, `cuts[${i}]`, 2)
    return [indexAt(from, `cuts[${i}][0]`, machines), indexAt(to, `cuts[${i}][1]`, machines)] as const
  })
}

function readBadLinks(value: unknown): BadLinks | null {
  if (value === null) return null
  const json = objectAt(value, 'badLinks')
  return {
    lossPercent: numberAt(json.lossPercent, 'badLinks.lossPercent', 100),
    duplicationPercent: numberAt(json.duplicationPercent, 'badLinks.duplicationPercent', 100),
    jitterMs: numberAt(json.jitterMs, 'badLinks.jitterMs'),
  }
}

function readCounters(value: unknown): Counters {
  const [transactions, batches, proposals] = listAt(value, 'counters', 3)
  return {
    transactions: wholeAt(transactions, 'counters[0]'),
    batches: wholeAt(batches, 'counters[1]'),
    proposals: wholeAt(proposals, 'counters[2]'),
  }
}
