import { bytesToHex, type Hex, keccak256 } from '@keelson/primitives'
import { UNDEFINED_OPCODE } from '../layout.ts'
import { SHAPE } from './analysis/opcode-shape.ts'
import { CALLDATALOAD, isPush, JUMPDEST, PUSH0 } from './analysis/opcodes.ts'
import { compile } from './compile.ts'
import { ForkCosts } from './fork-costs.ts'

const OPCODES = 256

/** Changes with the compiler's output and the memory layout. */
export function compilerFingerprint(): Hex {
  const result = compile(everyOpcode(), new ForkCosts(flatTable()))
  if (result.kind === 'refused') throw new Error(`the sample with every opcode was refused: ${result.reason}`)
  return bytesToHex(keccak256(result.bytes))
}

/** Operands come from call data to prevent folding. */
function everyOpcode(): Uint8Array {
  const code: number[] = []
  for (let opcode = 0; opcode < OPCODES; opcode++) {
    code.push(JUMPDEST)
    for (let i = 0; i < (SHAPE.removed[opcode] as number); i++) code.push(PUSH0, CALLDATALOAD)
    code.push(opcode, ...Array<number>(isPush(opcode) ? opcode - PUSH0 : 0).fill(opcode))
  }
  return Uint8Array.from(code)
}

function flatTable(): Uint8Array {
  const table = new Uint8Array(OPCODES * 8)
  const view = new DataView(table.buffer)
  for (let opcode = 0; opcode < OPCODES; opcode++) {
    view.setUint32(opcode * 8, opcode + 1, true)
    const isKnown = (SHAPE.removed[opcode] as number) + (SHAPE.added[opcode] as number) > 0 || opcode === JUMPDEST || opcode === 0
    view.setUint16(opcode * 8 + 4, isKnown ? 0 : UNDEFINED_OPCODE, true)
  }
  return table
}
