/** The library has no events for refused calls, self-destructs and logs. */
import type { EVM, EVMResult, InterpreterStep, Message } from '@ethereumjs/evm'
import { type Bytes20, bigintToBytes, bytesToHex, type Hash, toAddress } from '@keelson/primitives'
import type { EvmTracer, TraceFrame } from '../tracer.ts'
import { callStatus } from './call-status.ts'
import { BALANCE_TEXT, CALL_DEPTH_TEXT, haltText, type LastOperation, NONCE_TEXT } from './halt-text.ts'
import { attachPausePoints } from './pause-points.ts'

const FRAME_KINDS: Readonly<Record<number, TraceFrame['kind']>> = {
  240: 'create',
  241: 'call',
  242: 'callcode',
  244: 'delegatecall',
  245: 'create2',
  250: 'staticcall',
}
const RETURN = 0xf3
const INVALID = 0xfe
const SELFDESTRUCT = 0xff
const LOG0 = 0xa0
const LOG4 = 0xa4
const MAX_DEPTH = 1024
const CALL_STIPEND = 2300n
const MAX_MEMORY = 1n << 26n
const ADDRESS_MASK = (1n << 160n) - 1n

interface OpenFrame {
  readonly message: Message
  readonly creating: boolean
  last: (LastOperation & { readonly kind: TraceFrame['kind'] | null }) | null
  /** Sent once the next event shows that the step succeeded. */
  pending: (() => void) | null
  returned: Uint8Array | null
}

export interface TracedBalances {
  balance(address: Bytes20): bigint
}

export function attachTracer(evm: EVM, tracer: EvmTracer, state: TracedBalances): () => void {
  const { step, enter, exit, log } = tracer
  if (step === undefined && enter === undefined && exit === undefined && log === undefined) {
    return tracer.pause === undefined ? () => undefined : attachPausePoints(evm, () => tracer.pause?.() ?? null)
  }
  const bridge = new TraceBridge(evm, tracer, state)
  evm.events.on(
    'step',
    tracer.pause === undefined
      ? (step) => bridge.step(step)
      : (step, resume) => {
          bridge.step(step)
          const pause = tracer.pause?.() ?? null
          if (pause === null) resume?.()
          else pause.then(() => resume?.())
        },
  )
  evm.events.on('beforeMessage', (message) => bridge.enter(message))
  evm.events.on('afterMessage', (result) => bridge.exit(result))
  return () => {
    evm.events.removeAllListeners('step')
    evm.events.removeAllListeners('beforeMessage')
    evm.events.removeAllListeners('afterMessage')
  }
}

class TraceBridge {
  readonly #evm: EVM
  readonly #tracer: EvmTracer
  readonly #state: TracedBalances
  readonly #sparesGas: boolean
  readonly #keepsReturned: boolean
  readonly #storeNeedsStipend: boolean
  readonly #frames: OpenFrame[] = []

  constructor(evm: EVM, tracer: EvmTracer, state: TracedBalances) {
    this.#evm = evm
    this.#tracer = tracer
    this.#state = state
    this.#sparesGas = evm.common.gteHardfork('tangerineWhistle')
    this.#keepsReturned = !evm.common.gteHardfork('homestead')
    this.#storeNeedsStipend = evm.common.gteHardfork('istanbul')
  }

  step(step: InterpreterStep): void {
    const frame = this.#frames[this.#frames.length - 1] as OpenFrame
    sendPending(frame)
    // The library reports undefined opcodes as INVALID.
    const opcode = step.opcode.code === INVALID ? byteAt(frame.message, step.pc) : step.opcode.code
    const { stack, gasLeft } = step
    const fee = step.opcode.dynamicFee ?? BigInt(step.opcode.fee)
    const kind = FRAME_KINDS[opcode] ?? null
    const calling = kind !== null && kind !== 'create' && kind !== 'create2'
    const handedOn = calling ? gasHandedOn(stack[stack.length - 1] ?? 0n, gasLeft - fee, this.#sparesGas) : 0n
    const gasCost = fee + handedOn
    frame.last = { opcode, kind, stackLength: stack.length, gasLeft, gasCost }
    this.#tracer.step?.({
      pc: step.pc,
      opcode,
      opcodeName: step.opcode.name,
      gasLeft,
      gasCost,
      gasRefund: step.gasRefund,
      depth: step.depth,
      address: step.address.bytes,
      stack,
      memory: step.memory,
    })
    if (this.#keepsReturned && opcode === RETURN)
      frame.returned = memoryAt(step.memory, stack[stack.length - 1] ?? 0n, stack[stack.length - 2] ?? 0n)
    if (kind !== null) frame.pending = this.#refusedCall(step, kind, handedOn, gasLeft - fee)
    else if (opcode === SELFDESTRUCT) frame.pending = this.#selfDestruct(step)
    else if (opcode >= LOG0 && opcode <= LOG4) frame.pending = this.#logging(step)
  }

  enter(message: Message): void {
    const parent = this.#frames[this.#frames.length - 1]
    if (parent !== undefined) parent.pending = null
    this.#frames.push({ message, creating: message.to === undefined, last: null, pending: null, returned: null })
    this.#tracer.enter?.(frameOf(message, parent?.last?.kind ?? null))
  }

  exit({ execResult, createdAddress }: EVMResult): void {
    const frame = this.#frames.pop() as OpenFrame
    const status = callStatus(execResult, this.#evm.common.hardfork())
    if (status === 'success') sendPending(frame)
    const unpaid = status === 'success' && execResult.exceptionError !== undefined
    const { last, creating } = frame
    const halted = { last, creating, storeNeedsStipend: this.#storeNeedsStipend }
    this.#tracer.exit?.({
      status,
      gasUsed: execResult.executionGasUsed,
      output: unpaid ? (frame.returned ?? execResult.returnValue) : execResult.returnValue,
      created: status === 'success' ? (createdAddress?.bytes ?? null) : null,
      error: status === 'success' ? null : haltText(execResult.exceptionError?.error ?? '', halted),
    })
  }

  #send(frame: TraceFrame, error: string | null): void {
    this.#tracer.enter?.(frame)
    const output = new Uint8Array(0)
    this.#tracer.exit?.({ status: error === null ? 'success' : 'halt', gasUsed: 0n, output, created: null, error })
  }

  #refusedCall(step: InterpreterStep, kind: TraceFrame['kind'], handedOn: bigint, gasAfter: bigint): (() => void) | null {
    if (this.#tracer.enter === undefined && this.#tracer.exit === undefined) return null
    const { depth, memory } = step
    const [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n] = step.stack.slice(-5).reverse()
    const from = step.address.bytes.slice()
    const creating = kind === 'create' || kind === 'create2'
    const sendsValue = kind === 'call' || kind === 'callcode'
    const valueWei = creating ? a : sendsValue ? c : 0n
    const [offset, length] = creating ? [b, c] : sendsValue ? [d, e] : [c, d]
    const gas = creating ? gasHandedOn(gasAfter, gasAfter, this.#sparesGas) : handedOn + (valueWei > 0n ? CALL_STIPEND : 0n)
    const poor = valueWei > 0n && this.#state.balance(from) < valueWei
    const error = depth >= MAX_DEPTH ? CALL_DEPTH_TEXT : poor ? BALANCE_TEXT : NONCE_TEXT
    const to = creating ? null : bigintToBytes(b & ADDRESS_MASK, 20)
    return () => this.#send({ kind, depth: depth + 1, from, to, valueWei, gas, input: memoryAt(memory, offset, length) }, error)
  }

  #selfDestruct(step: InterpreterStep): () => void {
    const from = step.address.bytes.slice()
    const to = bigintToBytes((step.stack[step.stack.length - 1] ?? 0n) & ADDRESS_MASK, 20)
    const valueWei = this.#state.balance(from)
    return () => this.#send({ kind: 'selfdestruct', depth: step.depth + 1, from, to, valueWei, gas: 0n, input: new Uint8Array(0) }, null)
  }

  #logging(step: InterpreterStep): (() => void) | null {
    if (this.#tracer.log === undefined) return null
    const { stack, memory } = step
    const topicCount = step.opcode.code - LOG0
    const [offset = 0n, length = 0n, ...topics] = stack.slice(-2 - topicCount).reverse()
    const address = toAddress(step.address.bytes)
    return () =>
      this.#tracer.log?.({
        address,
        topics: topics.map((topic) => bytesToHex(bigintToBytes(topic, 32)) as Hash),
        data: memoryAt(memory, offset, length),
      })
  }
}

function sendPending(frame: OpenFrame): void {
  const { pending } = frame
  frame.pending = null
  pending?.()
}

function frameOf(message: Message, askedBy: TraceFrame['kind'] | null): TraceFrame {
  const outer = message.to === undefined ? 'create' : 'call'
  const lent = message.delegatecall && message.to !== undefined
  return {
    kind: message.depth === 0 ? outer : (askedBy ?? outer),
    depth: message.depth,
    from: lent ? (message.to as { bytes: Bytes20 }).bytes : message.caller.bytes,
    to: message.to === undefined ? null : message.codeAddress.bytes,
    valueWei: message.value,
    gas: message.gasLimit,
    input: message.data,
  }
}

function byteAt({ code }: Message, pc: number): number {
  return code instanceof Uint8Array ? (code[pc] ?? INVALID) : INVALID
}

/** EIP-150 */
function gasHandedOn(asked: bigint, available: bigint, sparesGas: boolean): bigint {
  if (!sparesGas || available < 0n) return asked
  const most = available - available / 64n
  return asked < most ? asked : most
}

/** Empty for an unaffordable range. */
function memoryAt(memory: Uint8Array, offset: bigint, length: bigint): Uint8Array {
  if (length > MAX_MEMORY) return new Uint8Array(0)
  const out = new Uint8Array(Number(length))
  if (offset < BigInt(memory.length)) out.set(memory.subarray(Number(offset), Number(offset) + out.length))
  return out
}
