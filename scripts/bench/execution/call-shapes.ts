import { bytesToHex, concatBytes } from '@keelson/primitives'
import { assemble } from '../evm/assemble.ts'
import { type AttackShape, filled, fillMemory, loop } from './attack-program.ts'
import { FIRST_LARGE_CODE } from './synthetic-view.ts'

const CALLEE = new Uint8Array(20).fill(0xce)
const DELEGATE = new Uint8Array(20).fill(0xde)
const CALLEE_HEX = bytesToHex(CALLEE)
const CALL_IT = `0 0 0 0 0 ${CALLEE_HEX} GAS CALL POP`
const CALL_WITHOUT_GAS = `0 0 0 0 0 ${CALLEE_HEX} 0 CALL POP`
const MAX_INIT_CODE_BYTES = 49_152
const INSTRUCTION_JUMP = 0x56
const DELEGATION = Uint8Array.of(0xef, 0x01, 0x00)
const MEBIBYTE = 2 ** 20

const precompile = (index: number, inputBytes: number) => `0 0 ${inputBytes} 0 ${index} GAS STATICCALL POP`
const callee = (source: string) => [{ address: CALLEE, code: assemble(source) }]

export function callShapes(): readonly AttackShape[] {
  return [...plainCalls(), ...deepCalls(), ...returnShapes(), ...createShapes()]
}

function plainCalls(): readonly AttackShape[] {
  const delegation = { address: CALLEE, code: concatBytes(DELEGATION, DELEGATE) }
  return [
    { name: 'CALL of nothing', code: loop(CALL_IT) },
    { name: 'CALL of a new account each time', code: loop('0 0 0 0 0 GAS 0 CALL POP') },
    { name: 'CALL of 24 KB with jumps', code: loop(CALL_IT), accounts: [{ address: CALLEE, code: filled('@end JUMP end: STOP') }] },
    { name: 'CALL of 24 KB that begin with JUMP', code: loop(CALL_WITHOUT_GAS), accounts: [{ address: CALLEE, code: filled('JUMP') }] },
    { name: 'CALL of different 24 KB', code: loop(`0 0 0 0 0 ${bytesToHex(FIRST_LARGE_CODE)} GAS ADD GAS CALL POP`) },
    {
      name: 'DELEGATECALL of 24 KB with jumps',
      code: loop(`0 0 0 0 ${CALLEE_HEX} GAS DELEGATECALL POP`),
      accounts: [{ address: CALLEE, code: filled('@end JUMP end: STOP') }],
    },
    {
      name: 'CALL of an account with a delegation',
      code: loop(CALL_IT),
      accounts: [delegation, { address: DELEGATE, code: filled('@end JUMP end: STOP') }],
    },
    { name: 'CALL of a delegation to itself', code: loop(CALL_IT), accounts: [{ address: CALLEE, code: concatBytes(DELEGATION, CALLEE) }] },
    { name: 'STATICCALL of identity', code: loop(precompile(4, 0)) },
    { name: 'STATICCALL of SHA-256', code: loop(precompile(2, 64)) },
    { name: 'STATICCALL of ecrecover, invalid signature', code: loop(precompile(1, 128)) },
  ]
}

function deepCalls(): readonly AttackShape[] {
  return [
    { name: 'CALL of itself at growing depth', code: loop('0 0 0 0 0 ADDRESS GAS CALL POP') },
    { name: 'CALL of itself with 1 KiB of memory', code: loop('0 0 1024 0 0 ADDRESS GAS CALL POP') },
    { name: 'DELEGATECALL of itself', code: loop('0 0 0 0 ADDRESS GAS DELEGATECALL POP') },
    {
      name: 'CALL that writes and reverts',
      code: loop(CALL_IT),
      accounts: callee('1 GAS TSTORE 1 GAS TSTORE 1 GAS TSTORE 1 GAS TSTORE 0 0 REVERT'),
    },
  ]
}

function returnShapes(): readonly AttackShape[] {
  return [
    { name: 'RETURNDATACOPY of 32 KiB', code: loop('32768 0 0 RETURNDATACOPY', CALL_IT), accounts: callee('32768 0 RETURN') },
    { name: 'CALL that returns 32 KiB', code: loop(CALL_IT), accounts: callee('32768 0 RETURN') },
    { name: 'CALL that returns 1 MiB', code: loop(CALL_IT), accounts: callee(`${MEBIBYTE} 0 RETURN`) },
    { name: 'CALL that reverts with 32 KiB', code: loop(CALL_IT), accounts: callee('32768 0 REVERT') },
  ]
}

function createShapes(): readonly AttackShape[] {
  // Jumps to its last byte; the word behind the jump differs.
  const jumpToEnd = `0x61${(MAX_INIT_CODE_BYTES - 1).toString(16)}${INSTRUCTION_JUMP.toString(16)}${'5b'.repeat(28)}`
  const prepared = `${fillMemory('5b')} ${jumpToEnd} 0 MSTORE`
  const deploy = '0x6160005ff3 0 MSTORE'
  return [
    { name: 'CREATE of nothing', code: loop('0 0 0 CREATE POP') },
    { name: 'CREATE of different 48 KB that jump', code: loop(`GAS 32 MSTORE ${MAX_INIT_CODE_BYTES} 0 0 CREATE POP`, prepared) },
    { name: 'CREATE2 of different 48 KB that jump', code: loop(`GAS 32 MSTORE GAS ${MAX_INIT_CODE_BYTES} 0 0 CREATE2 POP`, prepared) },
    { name: 'CREATE2 of 48 KB of JUMPDEST', code: loop('GAS 49152 0 0 CREATE2 POP', fillMemory('5b')) },
    { name: 'CREATE of 24 KB of code', code: loop('5 27 0 CREATE POP', deploy) },
    { name: 'CREATE that destroys itself', code: loop('2 30 0 CREATE POP', '0x30ff 0 MSTORE') },
  ]
}
