/** Steps as text: `depth pc opcode gas cost refund memory stack`. */
import { createHash } from 'node:crypto'
import type { TraceStep } from '@keelson/evm'

export interface Step extends Pick<TraceStep, 'depth' | 'pc' | 'opcode' | 'gasLeft' | 'stack'> {
  /** Null when the engine does not report it, as with the next two. */
  readonly gasCost: bigint | null
  readonly gasRefund: bigint | null
  readonly memory: Uint8Array | null
}

const UNKNOWN = '-'
const STOP = '0x0'
const INVALID = '0xfe'
const SHOWN_ITEMS = 4
const DIGEST_CHARACTERS = 12
/** Later steps of a transaction are not compared. */
const MAX_STEPS = 20_000

const digest = (data: Uint8Array | string) => createHash('sha1').update(data).digest('hex').slice(0, DIGEST_CHARACTERS)

export class StepLog {
  steps: string[] = []

  add(step: Step): void {
    if (this.steps.length < MAX_STEPS) this.steps.push(showStep(step))
  }

  take(): string[] {
    const { steps } = this
    this.steps = []
    return steps
  }
}

export function showStep({ depth, pc, opcode, gasLeft, gasCost, gasRefund, memory, stack }: Step): string {
  const fields = [depth, pc, `0x${opcode.toString(16)}`, gasLeft, gasCost ?? UNKNOWN, gasRefund ?? UNKNOWN]
  return [...fields, memory === null ? UNKNOWN : showMemory(memory), showStack(stack)].join(' ')
}

function showMemory(memory: Uint8Array): string {
  return memory.length === 0 ? '0' : `${memory.length}:${digest(memory)}`
}

/** Top of the stack first. */
function showStack(stack: readonly bigint[]): string {
  const items = stack.map((item) => item.toString(16)).reverse()
  if (items.length <= SHOWN_ITEMS) return `[${items}]`
  return `[${items.slice(0, SHOWN_ITEMS)},${items.length}:${digest(items.join())}]`
}

/** Some engines leave out the STOP at the end of the code, so that traces of `MAX_STEPS` may end at different steps. */
export function compareTraces(a: readonly string[], b: readonly string[]): string[] {
  let [left, right] = [0, 0]
  while ((left < a.length || right < b.length) && left < MAX_STEPS && right < MAX_STEPS) {
    const [one, other] = [a[left], b[right]]
    if (one !== undefined && other !== undefined && sameStep(one, other, halts(a, left))) {
      left++
      right++
    } else if (isStop(one)) left++
    else if (isStop(other)) right++
    else return [`step ${left} after ${a[left - 1] ?? 'the start'}: ${one ?? 'the end'}, ${other ?? 'the end'}`]
  }
  return []
}

const isStop = (step: string | undefined): boolean => step?.split(' ')[2] === STOP

const FIELDS = ['depth', 'pc', 'opcode', 'gas', 'cost', 'refund', 'memory', 'stack'] as const
/** RETURN, REVERT, SELFDESTRUCT. */
const ENDS: readonly (string | undefined)[] = [STOP, '0xf3', '0xfd', '0xff']

/** An opcode that halts its frame. */
function halts(trace: readonly string[], at: number): boolean {
  const [fields, next] = [trace[at]?.split(' ') ?? [], trace[at + 1]?.split(' ')]
  return !ENDS.includes(fields[2]) && (next === undefined || Number(next[0]) < Number(fields[0]))
}

function sameStep(a: string, b: string, halting: boolean): boolean {
  if (a === b) return true
  const [left, right] = [a.split(' '), b.split(' ')]
  return FIELDS.every((name, i) => {
    const [one, other] = [left[i], right[i]]
    if (one === other || one === UNKNOWN || other === UNKNOWN) return true
    // Some engines report an undefined opcode as INVALID.
    if (name === 'opcode') return one === INVALID || other === INVALID
    // Engines add up different parts of the price before they notice that a step fails.
    return name === 'cost' && (halting || isUnpaid(left) || isUnpaid(right))
  })
}

function isUnpaid(fields: readonly string[]): boolean {
  return Number(fields[FIELDS.indexOf('cost')]) > Number(fields[FIELDS.indexOf('gas')])
}
