import { OPCODE_GAS, OPCODE_NEEDS, UNDEFINED_OPCODE } from '../layout.ts'

const ENTRY_BYTES = 8

export class ForkCosts {
  private readonly view: DataView

  /** `table` has the layout of OPCODE_TABLE. */
  constructor(table: Uint8Array) {
    this.view = new DataView(table.buffer, table.byteOffset, table.byteLength)
  }

  gas(opcode: number): number {
    return this.view.getUint32(opcode * ENTRY_BYTES + OPCODE_GAS, true)
  }

  defines(opcode: number): boolean {
    return this.view.getUint16(opcode * ENTRY_BYTES + OPCODE_NEEDS, true) !== UNDEFINED_OPCODE
  }
}
