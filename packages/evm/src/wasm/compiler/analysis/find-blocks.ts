import type { ForkCosts } from '../fork-costs.ts'
import type { CompileRefusal } from '../limits.ts'
import type { Block, Operation } from './block.ts'
import { endsSegment, isChargedHere, type OpcodeRole, roleOf } from './opcode-role.ts'
import { SHAPE } from './opcode-shape.ts'
import { isPush, JUMPDEST, PUSH0, STOP } from './opcodes.ts'

export interface BlockFinderParts {
  readonly fork: ForkCosts
  readonly isInline: (opcode: number) => boolean
  readonly maxBlocks: number
}

/** In code order. Omits code after an end up to the next JUMPDEST. */
export function findBlocks(code: Uint8Array, parts: BlockFinderParts): readonly Block[] | CompileRefusal {
  const finder = new BlockFinder(code, parts)
  return finder.find()
}

type Decoded = Pick<Operation, 'pc' | 'opcode' | 'role' | 'immediate'>

class BlockFinder {
  private readonly blocks: Block[] = []
  private pc = 0

  constructor(
    private readonly code: Uint8Array,
    private readonly parts: BlockFinderParts,
  ) {}

  find(): readonly Block[] | CompileRefusal {
    let isOpen = true
    while (isOpen || this.skipToDestination()) {
      if (this.blocks.length === this.parts.maxBlocks) return 'too-many-blocks'
      isOpen = this.readBlock()
    }
    return this.blocks
  }

  private skipToDestination(): boolean {
    while (this.pc < this.code.length) {
      const opcode = this.code[this.pc] as number
      if (opcode === JUMPDEST) return true
      this.pc += 1 + (isPush(opcode) ? opcode - PUSH0 : 0)
    }
    return false
  }

  private readBlock(): boolean {
    const start = this.pc
    const decoded: Decoded[] = []
    let role: OpcodeRole = 'inline'
    do {
      const operation = this.decode()
      decoded.push(operation)
      role = operation.role
    } while ((role === 'inline' || role === 'step') && this.code[this.pc] !== JUMPDEST)
    const continues = role !== 'end' && role !== 'undefined'
    this.blocks.push({
      index: this.blocks.length,
      pc: start,
      operations: withCharges(decoded, this.parts.fork),
      ...stackUse(decoded),
      isDestination: this.code[start] === JUMPDEST,
      next: continues ? this.blocks.length + 1 : null,
    })
    return continues
  }

  private decode(): Decoded {
    const pc = this.pc
    const opcode = this.code[pc] ?? STOP
    const role = roleOf(opcode, this.parts.fork, this.parts.isInline)
    const size = isPush(opcode) ? opcode - PUSH0 : 0
    this.pc += 1 + size
    return { pc, opcode, immediate: this.immediate(pc + 1, size), role }
  }

  private immediate(start: number, size: number): bigint {
    let value = 0n
    for (let i = 0; i < size; i += 4) {
      const part = Math.min(4, size - i)
      let low = 0
      for (let j = 0; j < part; j++) low = low * 256 + (this.code[start + i + j] ?? 0)
      value = (value << BigInt(8 * part)) | BigInt(low)
    }
    return value
  }
}

function stackUse(operations: readonly Decoded[]): Pick<Block, 'needed' | 'highest'> {
  let height = 0
  let needed = 0
  let peak = 0
  for (const { opcode, role } of operations) {
    if (role === 'undefined') break
    const removed = SHAPE.removed[opcode] as number
    needed = Math.max(needed, removed - height)
    height += (SHAPE.added[opcode] as number) - removed
    peak = Math.max(peak, height)
  }
  return { needed, highest: needed + peak }
}

/** Inside a segment it is unobservable where gas runs out. */
function withCharges(decoded: readonly Decoded[], fork: ForkCosts): Operation[] {
  const cost = ({ opcode, role }: Decoded) => (isChargedHere(opcode, role) ? fork.gas(opcode) : 0)
  const operations: Operation[] = []
  let first = 0
  while (first < decoded.length) {
    let last = first
    while (last < decoded.length - 1 && !endsSegment((decoded[last] as Decoded).opcode, (decoded[last] as Decoded).role)) last++
    let total = 0
    for (let i = first; i <= last; i++) total += cost(decoded[i] as Decoded)
    let rest = total
    for (let i = first; i <= last; i++) {
      const operation = decoded[i] as Decoded
      rest -= cost(operation)
      operations.push({ ...operation, charge: i === first ? total : 0, paidAhead: rest })
    }
    first = last + 1
  }
  return operations
}
