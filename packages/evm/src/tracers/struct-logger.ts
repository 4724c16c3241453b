/** Options: enableMemory, disableStack, disableStorage, enableReturnData, limit (bytes, 0 for the maximum). */
import { bytesToHex, formatData, formatQuantity } from '@keelson/primitives'
import type { TraceStep } from '../tracer.ts'
import { stackWord } from './step-reading.ts'
import type { TraceContext, TracedState, TracerConfig, TransactionTracer } from './transaction-tracer.ts'

const ENTRY_BYTES = 90
const STACK_ITEM_BYTES = 24
const WORD_BYTES = 70
const SLOT_BYTES = 140

const NOTHING: Uint8Array = new Uint8Array(0)
const MAKES_FRAMES: ReadonlySet<string> = new Set(['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL', 'CREATE', 'CREATE2'])

interface Entry {
  readonly pc: number
  readonly op: string
  readonly gas: number
  readonly gasCost: number
  readonly depth: number
  readonly error?: string
  readonly stack?: readonly string[]
  readonly returnData?: string
  readonly memory?: readonly string[]
  readonly storage?: Readonly<Record<string, string>>
  readonly refund?: number
}

export function createStructLogger(config: TracerConfig, { budget }: TraceContext): TransactionTracer {
  const withMemory = config.enableMemory === true
  const withStack = config.disableStack !== true
  const withReturnData = config.enableReturnData === true
  const withStorage = config.disableStorage !== true
  const limit = typeof config.limit === 'number' && config.limit > 0 ? config.limit : Number.POSITIVE_INFINITY
  const entries: Entry[] = []
  const seen = new Map<string, Map<string, string>>()
  const frames: { returnData: Uint8Array; readonly creating: boolean }[] = []
  let state: TracedState | null = null
  let bytes = 0
  let gasUsed = 0n
  let outcome = { failed: false, returnValue: NOTHING }

  const storageAt = ({ opcodeName, address, stack, failure }: TraceStep): Record<string, string> | null => {
    const written = opcodeName === 'SSTORE'
    if (failure !== null || !withStorage || state === null || stack.length < (written ? 2 : 1) || (!written && opcodeName !== 'SLOAD'))
      return null
    const contract = bytesToHex(address)
    let slots = seen.get(contract)
    if (slots === undefined) {
      slots = new Map()
      seen.set(contract, slots)
    }
    const slot = stackWord(stack, 0)
    slots.set(bytesToHex(slot), bytesToHex(written ? stackWord(stack, 1) : state.storage(address, slot)))
    return Object.fromEntries(slots)
  }

  const step = (at: TraceStep): void => {
    if (bytes > limit) return
    const storage = storageAt(at)
    const memory = withMemory && at.memory.length > 0 ? words(at.memory) : null
    const frame = frames[frames.length - 1]
    const returnData = withReturnData && frame !== undefined ? frame.returnData : NOTHING
    const cost =
      2 * returnData.length +
      ENTRY_BYTES +
      (withStack ? STACK_ITEM_BYTES * at.stack.length : 0) +
      WORD_BYTES * (memory?.length ?? 0) +
      SLOT_BYTES * (storage === null ? 0 : Object.keys(storage).length)
    budget.spend(cost)
    bytes += cost
    const entry: Entry = {
      pc: at.pc,
      op: at.opcodeName,
      gas: Number(at.gasLeft),
      gasCost: Number(at.gasCost),
      depth: at.depth + 1,
      ...(withStack ? { stack: at.stack.map((item) => formatQuantity(item)) } : {}),
      ...(returnData.length === 0 ? {} : { returnData: bytesToHex(returnData) }),
      ...(memory === null ? {} : { memory }),
      ...(storage === null ? {} : { storage }),
      ...(at.gasRefund === 0n ? {} : { refund: Number(at.gasRefund) }),
      ...(at.failure === null ? {} : { error: at.failure }),
    }
    entries.push(entry)
    if (frame !== undefined && at.failure === null && MAKES_FRAMES.has(at.opcodeName)) frame.returnData = NOTHING
  }

  return {
    hooks: {
      step,
      enter: ({ kind }) => void frames.push({ returnData: NOTHING, creating: kind.startsWith('create') }),
      exit({ status, output }) {
        const { creating = false } = frames.pop() ?? {}
        const caller = frames[frames.length - 1]
        if (caller !== undefined) caller.returnData = status === 'halt' || (creating && status === 'success') ? NOTHING : output
        if (caller === undefined) {
          outcome = { failed: status !== 'success', returnValue: status === 'halt' ? NOTHING : output }
        }
      },
    },
    start(_, at) {
      state = at
    },
    end(ended) {
      gasUsed = ended.gasUsed
      if (ended.obstacle !== null) outcome = { failed: true, returnValue: NOTHING }
    },
    result: () => ({
      gas: Number(gasUsed),
      failed: outcome.failed,
      returnValue: formatData(outcome.returnValue),
      structLogs: entries,
    }),
  }
}

function words(memory: Uint8Array): string[] {
  const all: string[] = []
  for (let i = 0; i < memory.length; i += 32) all.push(bytesToHex(memory.subarray(i, i + 32)))
  return all
}
