/** The library's promises cost several times as much. */

import type { Message } from '@ethereumjs/evm'
import { type EVM, EVMError } from '@ethereumjs/evm'
import { type OperationHandler, operationsOf, type RunState } from './engine-internals.ts'
import type { JumpAnalyses } from './jump-analysis.ts'

const POP = 0x50
const MLOAD = 0x51
const MSTORE = 0x52
const JUMP = 0x56
const JUMPI = 0x57
const GAS = 0x5a
const JUMPDEST = 0x5b
const MCOPY = 0x5e
const PUSH0 = 0x5f
const PUSH32 = 0x7f
const DUP1 = 0x80
const DUP16 = 0x8f
const SWAP1 = 0x90
const SWAP16 = 0x9f
const INVALID = 0xfe
const ENDING: ReadonlySet<number> = new Set([0x00, 0xf3, 0xfd, INVALID, 0xff])

const FUTILE_FIRST: ReadonlySet<number> = new Set([JUMP, JUMPI, MCOPY])

const JUMPS_AHEAD = 16

const MAX_BUDGET = 2 ** 40
/** Larger memory is never affordable. */
const MAX_MEMORY_BYTES = 2n ** 32n
const MEMORY_STEP_BYTES = 8192
const WORD_GAS = 3
const COPY_WORD_GAS = 3
const QUADRATIC_DIVISOR = 512

type Kind = typeof OTHER | typeof PLAIN | typeof WORD | typeof COPY
const OTHER = 0
const PLAIN = 1
const WORD = 2
const COPY = 3

export function runStraight(evm: EVM, analyses: JumpAnalyses): void {
  const operations = operationsOf(evm)
  const kinds = new Uint8Array(256)
  const fees = new Float64Array(256)
  const handlers: OperationHandler[] = []
  const plainJump = operations[JUMP]
  let jumps = 0
  for (const [opcode, { opcodeInfo, opHandler }] of operations.entries()) {
    const { code, fee, isAsync, dynamicGas, isInvalid } = opcodeInfo
    fees[opcode] = fee
    handlers[opcode] = opHandler
    if (isInvalid || code !== opcode || ENDING.has(opcode)) continue
    if (opcode === MLOAD || opcode === MSTORE) kinds[opcode] = WORD
    else if (opcode === MCOPY) kinds[opcode] = COPY
    else if (!isAsync && !dynamicGas) kinds[opcode] = PLAIN
  }

  function goOn(state: RunState): void {
    if (evm.events.listenerCount('step') > 0) return
    const { code, stack } = state
    const pausing = operations[JUMP] !== plainJump
    if (state.shouldDoJumpAnalysis) {
      const known = analyses.find(code)
      if (known !== null) adopt(state, known.jumps, known.pushes)
    }
    const budget = state.gasLeft > MAX_BUDGET ? MAX_BUDGET : Number(state.gasLeft)
    let spent = 0
    let pc = state.programCounter
    while (pc < code.length) {
      const opcode = code[pc] as number
      const kind = kinds[opcode] as Kind
      if (kind === OTHER) break
      if (pausing && (opcode === JUMP || opcode === JUMPI) && ++jumps % JUMPS_AHEAD === 0) break
      spent += fees[opcode] as number
      if (kind === WORD) spent += extendMemory(state, stack.peek(1)[0] as bigint, 32n, budget - spent)
      else if (kind === COPY) spent += copyGas(state, budget - spent)
      if (spent > budget) throw new EVMError(EVMError.errorMessages.OUT_OF_GAS)
      if (opcode >= PUSH0 && opcode <= PUSH32) {
        const length = opcode - PUSH0
        stack.push(length === 0 ? 0n : pushed(state, pc + 1, length))
        pc += 1 + length
      } else if (opcode >= DUP1 && opcode <= DUP16) {
        stack.dup(opcode - DUP1 + 1)
        pc++
      } else if (opcode >= SWAP1 && opcode <= SWAP16) {
        stack.swap(opcode - SWAP1 + 1)
        pc++
      } else if (opcode === JUMPDEST) {
        pc++
      } else if (opcode === JUMP) {
        pc = destination(state, stack.pop())
      } else if (opcode === JUMPI) {
        const [to, condition] = stack.popN(2) as [bigint, bigint]
        pc = condition === 0n ? pc + 1 : destination(state, to)
      } else if (opcode === POP) {
        stack.pop()
        pc++
      } else if (opcode === GAS) {
        stack.push(state.gasLeft - BigInt(spent))
        pc++
      } else if (opcode === MLOAD) {
        stack.push(loadWord(state, Number(stack.pop())))
        pc++
      } else if (opcode === MSTORE) {
        const [offset, value] = stack.popN(2) as [bigint, bigint]
        storeWord(state, Number(offset), value)
        pc++
      } else if (opcode === MCOPY) {
        const [to, from, length] = stack.popN(3) as [bigint, bigint, bigint]
        if (length > 0n) state.memory._store.copyWithin(Number(to), Number(from), Number(from + length))
        pc++
      } else {
        state.programCounter = pc + 1
        state.opCode = opcode
        void (handlers[opcode] as OperationHandler)(state, evm.common)
        pc = state.programCounter
      }
    }
    state.programCounter = pc
    state.gasLeft -= BigInt(spent)
  }

  function destination(state: RunState, to: bigint): number {
    if (state.shouldDoJumpAnalysis) {
      const { jumps, pushes } = analyses.get(state.code)
      adopt(state, jumps, pushes)
    }
    const place = Number(to)
    if (state.validJumps[place] !== 1) throw new EVMError(EVMError.errorMessages.INVALID_JUMP)
    return place
  }

  for (const operation of new Set(operations)) {
    const { opHandler, opcodeInfo } = operation
    if (ENDING.has(opcodeInfo.code)) continue
    operation.opHandler = opcodeInfo.isAsync
      ? async (state, common) => {
          await opHandler(state, common)
          goOn(state)
        }
      : (state, common) => {
          void opHandler(state, common)
          goOn(state)
        }
  }
  skipFutileAnalysis(evm)
}

function skipFutileAnalysis(evm: EVM): void {
  const engine = evm as unknown as { runInterpreter(message: Message, options?: object): Promise<unknown> }
  const run = engine.runInterpreter.bind(evm)
  engine.runInterpreter = (message, options) => {
    const { code } = message as { code?: unknown }
    if (code instanceof Uint8Array && FUTILE_FIRST.has(code[0] as number) && evm.events.listenerCount('step') === 0)
      message.code = Uint8Array.of(POP)
    return run(message, options)
  }
}

function adopt(state: RunState, jumps: Uint8Array, pushes: (bigint | undefined)[]): void {
  state.validJumps = jumps
  state.cachedPushes = pushes as unknown as RunState['cachedPushes']
  state.shouldDoJumpAnalysis = false
}

function pushed(state: RunState, from: number, length: number): bigint {
  const { code, cachedPushes, shouldDoJumpAnalysis } = state
  if (!shouldDoJumpAnalysis) {
    const known = cachedPushes[from]
    if (known !== undefined) return known
  }
  let value = 0n
  let part = 0
  let bytes = 0
  for (let i = from; i < from + length; i++) {
    part = part * 256 + (code[i] ?? 0)
    if (++bytes === 6) {
      value = (value << 48n) | BigInt(part)
      part = 0
      bytes = 0
    }
  }
  if (bytes > 0) value = (value << BigInt(8 * bytes)) | BigInt(part)
  if (!shouldDoJumpAnalysis) cachedPushes[from] = value
  return value
}

function extendMemory(state: RunState, offset: bigint, length: bigint, most: number): number {
  if (length === 0n) return 0
  const end = offset + length
  if (end > MAX_MEMORY_BYTES) return Number.POSITIVE_INFINITY
  const words = Math.ceil(Number(end) / 32)
  if (words <= Number(state.memoryWordCount)) return 0
  const cost = WORD_GAS * words + Math.floor((words * words) / QUADRATIC_DIVISOR)
  const expansion = cost - Number(state.highestMemCost)
  if (expansion > most) return expansion
  state.memoryWordCount = BigInt(words)
  state.highestMemCost = BigInt(cost)
  const { memory } = state
  if (memory._store.length < words * 32) {
    const grown = new Uint8Array(Math.max(Math.ceil((words * 32) / MEMORY_STEP_BYTES) * MEMORY_STEP_BYTES, memory._store.length * 2))
    grown.set(memory._store)
    memory._store = grown
  }
  return expansion
}

function copyGas(state: RunState, most: number): number {
  const [to, from, length] = state.stack.peek(3) as [bigint, bigint, bigint]
  if (length > MAX_MEMORY_BYTES) return Number.POSITIVE_INFINITY
  const copying = COPY_WORD_GAS * Math.ceil(Number(length) / 32)
  return copying + extendMemory(state, to > from ? to : from, length, most - copying)
}

function loadWord({ memory }: RunState, offset: number): bigint {
  const { _store: store } = memory
  const view = new DataView(store.buffer, store.byteOffset + offset, 32)
  const low = view.getBigUint64(24)
  const [a, b, c] = [view.getBigUint64(0), view.getBigUint64(8), view.getBigUint64(16)]
  return a === 0n && b === 0n && c === 0n ? low : (a << 192n) | (b << 128n) | (c << 64n) | low
}

function storeWord({ memory }: RunState, offset: number, value: bigint): void {
  const { _store: store } = memory
  const view = new DataView(store.buffer, store.byteOffset + offset, 32)
  // setBigUint64 writes the low 64 bits of its argument.
  view.setBigUint64(24, value)
  view.setBigUint64(16, value >> 64n)
  view.setBigUint64(8, value >> 128n)
  view.setBigUint64(0, value >> 192n)
}
