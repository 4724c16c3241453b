import type { MemoryAccount } from '@keelson/evm'
import { bigintToBytes, bytesToHex } from '@keelson/primitives'
import { assemble } from './assemble.ts'
import type { Work } from './work.ts'

const TARGET = new Uint8Array(20).fill(0x7a)
const NOBODY = new Uint8Array(20).fill(0xee)
const LARGE_CODE = new Uint8Array(20).fill(0xce)
const MAX_CODE_BYTES = 24_576
const GOLDEN = '0x9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251f86c6a11d0c18e95'
const PRIME = '0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f'
const DIVIDEND = '0xd1310ba698dfb5ac2ffd72dbd01adfb7b8e1afed6a267e96ba7c9045f12c7f99'
const SHA256 = 2

/** `body` receives `value left`, `left` on top, and leaves both. */
function loop(body: string): Uint8Array {
  return assemble(`1 0 CALLDATALOAD loop: ${body} 1 SWAP1 SUB DUP1 @loop JUMPI POP 0 MSTORE 32 0 RETURN`)
}

function handWork(name: string, code: Uint8Array, argument: number, others: readonly MemoryAccount[] = []): Work {
  const accounts = [{ address: TARGET, code }, ...others]
  return {
    name,
    unit: 'Mgas/s',
    calls: 1,
    target: TARGET,
    data: bigintToBytes(BigInt(argument), 32),
    repeats: true,
    accounts: () => accounts,
  }
}

function callOf(address: Uint8Array): string {
  return `0 0 0 0 0 ${bytesToHex(address)} GAS CALL DUP3 ADD SWAP2 POP`
}

/** Jumps over jump destinations that an analysis must read. */
function largeCode(): Uint8Array {
  const code = new Uint8Array(MAX_CODE_BYTES).fill(0x5b)
  code.set(assemble('@end JUMP end: STOP'))
  return code
}

const RECURSION = assemble(`
  0 CALLDATALOAD DUP1 ISZERO @end JUMPI
  1 SWAP1 SUB 0 MSTORE
  32 0 32 0 0 ADDRESS GAS CALL
  0 MLOAD ADD 0 MSTORE 32 0 RETURN
  end: 0 MSTORE 32 0 RETURN
`)

export function handWorks(): readonly Work[] {
  return [
    handWork('arithmetic', loop(`DUP2 DUP1 13 SHR SWAP1 ${GOLDEN} MUL DUP3 ADD XOR SWAP2 POP`), 15_000),
    handWork('memory', loop('DUP2 DUP2 5 SHL 0x1fe0 AND MSTORE DUP1 7 MUL 5 SHL 0x1fe0 AND MLOAD DUP3 ADD DUP2 ADD SWAP2 POP'), 10_000),
    handWork('MULMOD', loop(`${PRIME} DUP3 DUP1 NOT MULMOD DUP2 ADD SWAP2 POP`), 15_000),
    handWork('DIV and MOD', loop(`1 DUP3 96 SHR OR DUP3 NOT DIV ${GOLDEN} DUP4 ${DIVIDEND} MUL MOD ADD DUP2 ADD SWAP2 POP`), 10_000),
    handWork('KECCAK256 of 64 bytes', loop('DUP2 0 MSTORE DUP1 32 MSTORE 64 0 KECCAK256 SWAP2 POP'), 10_000),
    handWork('warm SLOAD', loop('DUP1 15 AND SLOAD DUP3 ADD DUP2 ADD SWAP2 POP'), 7_000),
    handWork('warm SSTORE', loop('DUP2 DUP2 ADD DUP1 DUP3 15 AND SSTORE SWAP2 POP'), 7_000),
    handWork('CALL of an empty account', loop(callOf(NOBODY)), 6_000),
    handWork('CALL of 24 KB of code', loop(callOf(LARGE_CODE)), 6_000, [{ address: LARGE_CODE, code: largeCode() }]),
    handWork('STATICCALL of SHA-256', loop(`DUP2 0 MSTORE 32 0 64 0 ${SHA256} GAS STATICCALL 0 MLOAD ADD SWAP2 POP`), 4_000),
    handWork('deep recursion', RECURSION, 1_000),
  ]
}
