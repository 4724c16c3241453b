/**
 * Opcode names, numbers (pushed in the fewest bytes), `name:` (a JUMPDEST) and `@name` (pushes its offset), separated by white
 * space.
 */
import { type Hex, hexToBytes } from '@keelson/primitives'

const PUSH0 = 0x5f
const PUSH2 = 0x61
const JUMPDEST = 0x5b
const LABEL_BYTES = 2

const OPCODES: Readonly<Record<string, number>> = {
  ...from(0x00, 'STOP ADD MUL SUB DIV SDIV MOD SMOD ADDMOD MULMOD EXP SIGNEXTEND'),
  ...from(0x10, 'LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE SHL SHR SAR'),
  ...from(0x20, 'KECCAK256'),
  ...from(0x30, 'ADDRESS BALANCE ORIGIN CALLER CALLVALUE CALLDATALOAD CALLDATASIZE CALLDATACOPY CODESIZE CODECOPY GASPRICE'),
  ...from(0x3b, 'EXTCODESIZE EXTCODECOPY RETURNDATASIZE RETURNDATACOPY EXTCODEHASH BLOCKHASH'),
  ...from(0x50, 'POP MLOAD MSTORE MSTORE8 SLOAD SSTORE JUMP JUMPI PC MSIZE GAS JUMPDEST TLOAD TSTORE MCOPY'),
  ...from(0x80, Array.from({ length: 16 }, (_, i) => `DUP${i + 1}`).join(' ')),
  ...from(0x90, Array.from({ length: 16 }, (_, i) => `SWAP${i + 1}`).join(' ')),
  ...from(0xa0, 'LOG0 LOG1 LOG2 LOG3 LOG4'),
  ...from(0xf0, 'CREATE CALL CALLCODE RETURN DELEGATECALL CREATE2'),
  ...from(0xfa, 'STATICCALL'),
  ...from(0xfd, 'REVERT INVALID SELFDESTRUCT'),
}

function from(first: number, names: string): Record<string, number> {
  return Object.fromEntries(names.split(' ').map((name, i) => [name, first + i]))
}

export function assemble(source: string): Uint8Array {
  const code: number[] = []
  const labels = new Map<string, number>()
  const uses: { readonly at: number; readonly label: string }[] = []
  for (const token of source.trim().split(/\s+/)) {
    if (token.endsWith(':')) {
      labels.set(token.slice(0, -1), code.length)
      code.push(JUMPDEST)
    } else if (token.startsWith('@')) {
      uses.push({ at: code.length + 1, label: token.slice(1) })
      code.push(PUSH2, ...new Array<number>(LABEL_BYTES).fill(0))
    } else if (/^\d/.test(token)) {
      const bytes = bytesOf(BigInt(token))
      code.push(PUSH0 + bytes.length, ...bytes)
    } else {
      const opcode = OPCODES[token]
      if (opcode === undefined) throw new Error(`assemble: unknown opcode ${token}`)
      code.push(opcode)
    }
  }
  for (const { at, label } of uses) {
    const offset = labels.get(label)
    if (offset === undefined) throw new Error(`assemble: label ${label} is not defined`)
    code[at] = offset >> 8
    code[at + 1] = offset & 0xff
  }
  return Uint8Array.from(code)
}

function bytesOf(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array(0)
  const hex = value.toString(16)
  return hexToBytes(`0x${hex.length % 2 === 0 ? '' : '0'}${hex}` as Hex)
}
