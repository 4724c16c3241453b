import type { Block } from './block.ts'

const GROUP_BYTES = 32
const RECORD_BYTES = 8

/** Destinations come first, in code order. */
export class BlockIndex {
  /** By dispatch number. */
  readonly dispatched: readonly Block[]
  private readonly numbers = new Map<number, number>()
  private readonly destinations = new Map<number, Block>()

  constructor(
    private readonly blocks: readonly Block[],
    private readonly codeLength: number,
  ) {
    const destinations = blocks.filter((block) => block.isDestination)
    this.dispatched = [...destinations, ...blocks.filter((block) => !block.isDestination)]
    for (const [number, block] of this.dispatched.entries()) this.numbers.set(block.index, number)
    for (const block of destinations) this.destinations.set(block.pc, block)
  }

  destination(pc: bigint): Block | null {
    return pc < this.codeLength ? (this.destinations.get(Number(pc)) ?? null) : null
  }

  dispatchNumber(blockIndex: number): number {
    const number = this.numbers.get(blockIndex)
    if (number === undefined) throw new RangeError(`block ${blockIndex} does not exist; there are ${this.blocks.length}`)
    return number
  }

  /** Per 32 bytes of code: a bitmap of the destinations (u32) and the first one's dispatch number (u32). */
  jumpTable(): Uint8Array {
    const table = new Uint8Array(Math.ceil(this.codeLength / GROUP_BYTES) * RECORD_BYTES)
    const view = new DataView(table.buffer)
    for (const { pc, index } of [...this.destinations.values()].reverse()) {
      const record = Math.floor(pc / GROUP_BYTES) * RECORD_BYTES
      view.setUint32(record, view.getUint32(record, true) | (1 << (pc % GROUP_BYTES)), true)
      view.setUint32(record + 4, this.dispatchNumber(index), true)
    }
    return table
  }
}
