/** Each makes a block of thirty million gas slow. */
import { type AttackShape, loop } from './attack-program.ts'
import { callShapes } from './call-shapes.ts'
import { precompileShapes } from './precompile-shapes.ts'
import { stateShapes } from './state-shapes.ts'

const ONES = `0x${'ff'.repeat(32)}`
const LARGE = 32_768
const MEBIBYTE = 2 ** 20
/** Quotient digits are guessed too high, so that a long division corrects them. */
const CORRECTED_DIVIDEND = `0x${'7fffffffffffffff8000000000000000'}${'00'.repeat(16)}`
const CORRECTED_DIVISOR = `0x80000000000000000000000000000001${'00'.repeat(8)}`

export function attackShapes(): readonly AttackShape[] {
  return [...computationShapes(), ...memoryShapes(), ...stateShapes(), ...callShapes(), ...precompileShapes()]
}

function computationShapes(): readonly AttackShape[] {
  const division = `0x${'03'.repeat(17)}${'00'.repeat(15)} 0x${'fe'.repeat(32)}`
  const operands = `0x${'fd'.repeat(32)} 0x${'fe'.repeat(32)}`
  return [
    { name: 'JUMPDEST', code: loop('JUMPDEST') },
    { name: 'PUSH32 POP', code: loop(`0x${'ab'.repeat(32)} POP`) },
    { name: 'PUSH1 ADD', code: loop('3 ADD', '0') },
    { name: 'MUL of 256 bits', code: loop('DUP1 MUL', `0x${'fd'.repeat(32)}`) },
    { name: 'ADDMOD of 256 bits', code: loop('DUP2 DUP2 DUP1 ADDMOD POP', operands) },
    { name: 'MULMOD of 256 bits', code: loop('DUP2 DUP2 DUP1 MULMOD POP', operands) },
    { name: 'MULMOD by 65 bits', code: loop('DUP2 DUP2 DUP2 MULMOD POP', `0x${'ff'.repeat(32)} 0x1${'00'.repeat(7)}01`) },
    { name: 'EXP of 256 bits', code: loop('DUP1 DUP1 EXP POP', ONES) },
    { name: 'EXP of 8 bits', code: loop('255 DUP2 EXP POP', ONES) },
    { name: 'DIV of 256 bits', code: loop('DUP2 DUP2 DIV POP', division) },
    { name: 'DIV with corrected digits', code: loop('DUP2 DUP2 DIV POP', `${CORRECTED_DIVISOR} ${CORRECTED_DIVIDEND}`) },
    { name: 'SDIV of 256 bits', code: loop('DUP2 DUP2 SDIV POP', division) },
    { name: 'MOD by 65 bits', code: loop('DUP2 DUP2 MOD POP', `0x1${'00'.repeat(7)}01 0x${'fe'.repeat(32)}`) },
    { name: 'SMOD of 256 bits', code: loop('DUP2 DUP2 SMOD POP', division) },
  ]
}

function memoryShapes(): readonly AttackShape[] {
  return [
    { name: 'KECCAK256 of 32 bytes', code: loop('32 0 KECCAK256 POP') },
    { name: 'KECCAK256 of 32 KiB', code: loop(`${LARGE} 0 KECCAK256 POP`) },
    { name: 'KECCAK256 of 1 MiB', code: loop(`${MEBIBYTE} 0 KECCAK256 POP`) },
    { name: 'MSTORE, growing memory', code: loop('DUP1 DUP2 MSTORE 32 ADD', '0') },
    { name: 'MSTORE8', code: loop('0 0 MSTORE8') },
    { name: 'MCOPY of 32 KiB', code: loop(`${LARGE} 1 0 MCOPY`) },
    { name: 'CALLDATACOPY of 32 KiB without data', code: loop(`${LARGE} 0 0 CALLDATACOPY`) },
    { name: 'CODECOPY of 32 KiB', code: loop(`${LARGE} 0 0 CODECOPY`) },
  ]
}
