import type { BlockRules } from '@keelson/chainspec'
import type { EvmTracer, TraceFrame, TraceStep } from '../tracer.ts'
import type { CoreInstance } from './core-instance.ts'
import { haltText, REVERT_TEXT } from './halt-text.ts'
import {
  FRAME_ACCOUNT,
  FRAME_BYTES,
  FRAME_DEPTH,
  FRAME_GAS,
  FRAME_HALT_AMOUNT,
  FRAME_HALT_OPCODE,
  FRAME_MEMORY,
  FRAME_MEMORY_BYTES,
  FRAME_PC,
  FRAME_SP,
  FRAME_STACK,
  FRAMES,
  HALT_NONE,
  KIND_CREATE,
  KIND_CREATE2,
  STATUS_HALT,
  STATUS_RETURN,
  TRACE,
  TRACE_CALLS,
  TRACE_DEPTH,
  TRACE_FROM,
  TRACE_GAS,
  TRACE_GAS_USED,
  TRACE_HALT,
  TRACE_INPUT,
  TRACE_INPUT_LENGTH,
  TRACE_KIND,
  TRACE_OUTPUT,
  TRACE_OUTPUT_LENGTH,
  TRACE_STATUS,
  TRACE_STEPS,
  TRACE_TO,
  TRACE_VALUE,
} from './layout.ts'
import { opcodeName } from './opcode-names.ts'
import { readLog } from './write-back.ts'

const KINDS: readonly TraceFrame['kind'][] = ['call', 'callcode', 'delegatecall', 'staticcall', 'create', 'create2', 'selfdestruct']
const ITEM_BYTES = 32
const STEPS_PER_POLL = 256

/** Returns a PARAM_TRACED value. */
export function reportsFor(tracer: EvmTracer | null): number {
  if (tracer === null) return 0
  if (tracer.step !== undefined) return TRACE_STEPS
  return tracer.enter !== undefined || tracer.exit !== undefined || tracer.log !== undefined ? TRACE_CALLS : 0
}

interface StepNumbers {
  readonly cost: bigint
  readonly refund: bigint
  readonly failure: number
}

interface OpenFrame {
  readonly creating: boolean
  readonly to: Uint8Array
  readonly depth: number
}

export class CallTracer {
  readonly #core: CoreInstance
  readonly #tracer: EvmTracer
  readonly #rules: BlockRules
  readonly #poll: () => void
  readonly #open: OpenFrame[] = []
  #steps = 0

  constructor(core: CoreInstance, tracer: EvmTracer, rules: BlockRules, poll: () => void) {
    this.#core = core
    this.#tracer = tracer
    this.#rules = rules
    this.#poll = poll
  }

  step(frame: number, opcode: number, { cost, refund, failure }: StepNumbers): void {
    this.#tracer.step?.(
      new CoreStep(this.#core, frame, {
        opcode,
        opcodeName: opcodeName(opcode),
        gasCost: cost,
        gasRefund: refund,
        failure: failure === HALT_NONE ? null : this.#haltText(frame, failure),
      }),
    )
    if (++this.#steps % STEPS_PER_POLL === 0) this.#poll()
  }

  enter(): void {
    const { memory } = this.#core
    const kind = memory.u32(TRACE + TRACE_KIND)
    const creating = kind === KIND_CREATE || kind === KIND_CREATE2
    const to = memory.address(TRACE + TRACE_TO)
    const depth = memory.u32(TRACE + TRACE_DEPTH)
    this.#open.push({ creating, to, depth })
    this.#tracer.enter?.({
      kind: KINDS[kind] as TraceFrame['kind'],
      depth,
      from: memory.address(TRACE + TRACE_FROM),
      to: creating ? null : to,
      valueWei: memory.number(TRACE + TRACE_VALUE),
      gas: memory.i64(TRACE + TRACE_GAS),
      input: memory.copy(memory.u32(TRACE + TRACE_INPUT), memory.u32(TRACE + TRACE_INPUT_LENGTH)),
    })
  }

  exit(): void {
    const { memory } = this.#core
    const { creating, to, depth } = this.#open.pop() as OpenFrame
    const status = memory.u32(TRACE + TRACE_STATUS)
    this.#tracer.exit?.({
      status: status === STATUS_RETURN ? 'success' : status === STATUS_HALT ? 'halt' : 'revert',
      gasUsed: memory.i64(TRACE + TRACE_GAS_USED),
      output: memory.copy(memory.u32(TRACE + TRACE_OUTPUT), memory.u32(TRACE + TRACE_OUTPUT_LENGTH)),
      created: creating && status === STATUS_RETURN ? to : null,
      error:
        status === STATUS_RETURN
          ? null
          : status === STATUS_HALT
            ? this.#haltText(FRAMES + FRAME_BYTES * depth, memory.u32(TRACE + TRACE_HALT))
            : REVERT_TEXT,
    })
  }

  log(log: number): void {
    this.#tracer.log?.(readLog(this.#core.memory, log))
  }

  #haltText(frame: number, reason: number): string {
    const { memory, precompileFailure } = this.#core
    const opcode = memory.u32(frame + FRAME_HALT_OPCODE)
    return haltText({ reason, opcode, amount: memory.u32(frame + FRAME_HALT_AMOUNT), precompileFailure }, this.#rules.ethFork)
  }
}

class CoreStep implements TraceStep {
  readonly pc: number
  readonly opcode: number
  readonly opcodeName: string
  readonly gasLeft: bigint
  readonly gasCost: bigint
  readonly gasRefund: bigint
  readonly failure: string | null
  readonly depth: number
  readonly #core: CoreInstance
  readonly #frame: number
  #stack: readonly bigint[] | null = null
  #memory: Uint8Array | null = null

  constructor(core: CoreInstance, frame: number, known: Pick<TraceStep, 'opcode' | 'opcodeName' | 'gasCost' | 'gasRefund' | 'failure'>) {
    const { memory } = core
    this.#core = core
    this.#frame = frame
    this.pc = memory.u32(frame + FRAME_PC)
    this.opcode = known.opcode
    this.opcodeName = known.opcodeName
    this.gasLeft = memory.i64(frame + FRAME_GAS)
    this.gasCost = known.gasCost
    this.gasRefund = known.gasRefund
    this.failure = known.failure
    this.depth = memory.u32(frame + FRAME_DEPTH)
  }

  get address(): Uint8Array {
    const { memory } = this.#core
    return memory.address(memory.u32(this.#frame + FRAME_ACCOUNT))
  }

  get stack(): readonly bigint[] {
    if (this.#stack === null) {
      const { memory } = this.#core
      const items: bigint[] = []
      const end = memory.u32(this.#frame + FRAME_SP)
      for (let at = memory.u32(this.#frame + FRAME_STACK); at < end; at += ITEM_BYTES) items.push(memory.number(at))
      this.#stack = items
    }
    return this.#stack
  }

  get memory(): Uint8Array {
    const { memory } = this.#core
    this.#memory ??= memory.copy(memory.u32(this.#frame + FRAME_MEMORY), memory.u32(this.#frame + FRAME_MEMORY_BYTES))
    return this.#memory
  }
}
