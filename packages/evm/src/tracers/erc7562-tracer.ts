/** Options: withLog, ignoredOpcodes (as quantities). https://eips.ethereum.org/EIPS/eip-7562 */
import { type Address, bytesToHex, formatData, formatQuantity, toAddress } from '@keelson/primitives'
import type { TraceStep } from '../tracer.ts'
import { type CallFrame, createCallFrameRecorder } from './call-frames.ts'
import { callFrameToJson } from './call-tracer.ts'
import { memorySlice, stackAddress, stackWord } from './step-reading.ts'
import type { TraceContext, TracedState, TracerConfig, TransactionTracer } from './transaction-tracer.ts'

interface Accesses {
  readonly reads: Map<string, readonly string[]>
  readonly writes: Map<string, number>
  readonly transientReads: Map<string, number>
  readonly transientWrites: Map<string, number>
  readonly extCode: Address[]
  readonly opcodes: Map<number, number>
  readonly contractSizes: Map<Address, { readonly contractSize: number; readonly opcode: number }>
  outOfGas: boolean
}

const OP = { keccak: 0x20, iszero: 0x15, extcodesize: 0x3b, extcodecopy: 0x3c, extcodehash: 0x3f, gas: 0x5a, return: 0xf3, revert: 0xfd }
const CALLS: ReadonlySet<number> = new Set([0xf1, 0xf2, 0xf4, 0xfa])
const READS_CODE: ReadonlySet<number> = new Set([OP.extcodesize, OP.extcodecopy, OP.extcodehash])
const DEFAULT_IGNORED: readonly number[] = [
  ...Array.from({ length: 0x9f - 0x5f + 1 }, (_, i) => 0x5f + i),
  ...[0x50, 0x01, 0x03, 0x02, 0x04, 0x14, 0x10, 0x11, 0x12, 0x13, 0x1b, 0x1c, 0x16, 0x17, 0x19, 0x15],
]
const ENTRY_BYTES = 75
const CODE_DEPOSIT_FAILURES: ReadonlySet<string> = new Set(['out of gas', 'contract creation code storage out of gas'])

export function createErc7562Tracer(config: TracerConfig, context: TraceContext): TransactionTracer {
  const { budget } = context
  const recorder = createCallFrameRecorder(budget)
  const accesses = new Map<CallFrame, Accesses>()
  const ignored = new Set(Array.isArray(config.ignoredOpcodes) ? config.ignoredOpcodes.map(Number) : DEFAULT_IGNORED)
  const preimages = new Set<string>()
  let state: TracedState | null = null
  let last: { readonly opcode: number; readonly top: Address | null } | null = null

  const count = <K>(map: Map<K, number>, key: K): void => {
    if (!map.has(key)) budget.spend(ENTRY_BYTES)
    map.set(key, (map.get(key) ?? 0) + 1)
  }

  const noteStorage = (own: Accesses, { opcodeName, stack, address, failure }: TraceStep): void => {
    if (failure !== null || stack.length < 1) return
    const slot = stackWord(stack, 0)
    const key = bytesToHex(slot)
    if (opcodeName === 'SSTORE') count(own.writes, key)
    if (opcodeName === 'TLOAD') count(own.transientReads, key)
    if (opcodeName === 'TSTORE') count(own.transientWrites, key)
    if (opcodeName === 'SLOAD' && state !== null && !own.reads.has(key) && !own.writes.has(key)) {
      budget.spend(2 * ENTRY_BYTES)
      own.reads.set(key, [bytesToHex(state.storage(address, slot))])
    }
  }

  const step = (at: TraceStep): void => {
    const { opcode, stack } = at
    const own = recorder.current === null ? undefined : accesses.get(recorder.current)
    if (own === undefined) return
    if (opcode === OP.return || opcode === OP.revert) last = null
    if (last?.top && READS_CODE.has(last.opcode) && !(last.opcode === OP.extcodesize && opcode === OP.iszero)) {
      budget.spend(ENTRY_BYTES)
      own.extCode.push(last.top)
    }
    const depth = READS_CODE.has(opcode) ? 0 : CALLS.has(opcode) ? 1 : null
    if (at.failure === null && depth !== null && stack.length > depth && state !== null) {
      const bytes = stackAddress(stack, depth)
      const address = toAddress(bytes)
      if (!own.contractSizes.has(address)) {
        budget.spend(ENTRY_BYTES)
        own.contractSizes.set(address, { contractSize: state.code(bytes).length, opcode })
      }
    }
    if (last?.opcode === OP.gas && !CALLS.has(opcode)) count(own.opcodes, OP.gas)
    if (opcode !== OP.gas && !ignored.has(opcode)) count(own.opcodes, opcode)
    noteStorage(own, at)
    if (opcode === OP.keccak && stack.length >= 2) {
      const preimage = memorySlice(at, stack[stack.length - 1] as bigint, stack[stack.length - 2] as bigint)
      if (preimage !== null) {
        const shown = formatData(preimage)
        if (!preimages.has(shown)) budget.spend(shown.length)
        preimages.add(shown)
      }
    }
    last = at.failure === null ? { opcode, top: stack.length === 0 ? null : toAddress(stackAddress(stack, 0)) } : null
  }

  const toJson = (frame: CallFrame, isRoot: boolean): Record<string, unknown> => {
    const own = accesses.get(frame) ?? newAccesses()
    return {
      ...callFrameToJson({ ...frame, calls: [] }),
      accessedSlots: {
        reads: Object.fromEntries(own.reads),
        writes: Object.fromEntries(own.writes),
        transientReads: Object.fromEntries(own.transientReads),
        transientWrites: Object.fromEntries(own.transientWrites),
      },
      extCodeAccessInfo: own.extCode,
      usedOpcodes: Object.fromEntries([...own.opcodes].map(([opcode, times]) => [formatQuantity(opcode), times])),
      contractSize: Object.fromEntries(own.contractSizes),
      outOfGas: own.outOfGas,
      ...(isRoot && preimages.size > 0 ? { keccak: [...preimages].sort() } : {}),
      ...(frame.calls.length === 0 ? {} : { calls: frame.calls.map((call) => toJson(call, false)) }),
    }
  }

  return {
    hooks: {
      step,
      enter: (frame) => void accesses.set(recorder.enter(frame), newAccesses()),
      exit(result) {
        const frame = recorder.exit(result)
        const own = accesses.get(frame)
        if (own !== undefined && recorder.current !== null && result.error !== null) {
          own.outOfGas = CODE_DEPOSIT_FAILURES.has(result.error)
        }
      },
      ...(config.withLog === true ? { log: (log) => recorder.log(log) } : {}),
    },
    start(tx, at) {
      state = at
      recorder.start(tx)
    },
    end: (outcome) => recorder.end(outcome),
    result: () => (recorder.root === null ? null : toJson(recorder.root, true)),
  }
}

function newAccesses(): Accesses {
  return {
    reads: new Map(),
    writes: new Map(),
    transientReads: new Map(),
    transientWrites: new Map(),
    extCode: [],
    opcodes: new Map(),
    contractSizes: new Map(),
    outOfGas: false,
  }
}
