/** One address changes its code inside a block: creation, destruction, delegation (EIP-7702). */
import type { BlockSession, MemoryAccount } from '@keelson/evm'
import { bigintToBytes, bytesToHex, concatBytes } from '@keelson/primitives'
import { assemble } from '../assemble.ts'
import { contractAddress } from './contracts.ts'
import { callContract } from './soak-call.ts'

const FACTORY = new Uint8Array(20).fill(0xfa)
const DELEGATING = new Uint8Array(20).fill(0xde)
const DELEGATION = Uint8Array.of(0xef, 0x01, 0x00)
const WORD_BYTES = 32

/** Deploys the word that the caller returns. */
const INIT_CODE = assemble('32 0 0 0 0 CALLER GAS CALL POP 32 0 RETURN')
const INIT_WORD = bytesToHex(concatBytes(INIT_CODE, new Uint8Array(WORD_BYTES - INIT_CODE.length)))

/** With call data: creates, calls, destroys and returns the result. Without: returns the stored word. */
const FACTORY_CODE = assemble(`
  CALLDATASIZE @create JUMPI
  0 SLOAD 0 MSTORE 32 0 RETURN
  create:
    0 CALLDATALOAD 0 SSTORE
    ${INIT_WORD} 0 MSTORE
    0 ${INIT_CODE.length} 0 0 CREATE2
    32 0 0 0 0 DUP6 GAS CALL POP
    0 0 1 0 0 DUP6 GAS CALL POP
    32 0 RETURN
`)

/** Any call data destroys it. */
function shortLived(answer: bigint): Uint8Array {
  const code = assemble(`CALLDATASIZE @end JUMPI 0x${answer.toString(16).padStart(16, '0')} 0 MSTORE 32 0 RETURN end: CALLER SELFDESTRUCT`)
  return concatBytes(code, new Uint8Array(WORD_BYTES - code.length))
}

export const CHANGING_ACCOUNTS: readonly MemoryAccount[] = [{ address: FACTORY, code: FACTORY_CODE, nonce: 1n }]

export async function createDestroyCreate(session: BlockSession, answer: bigint): Promise<void> {
  await callContract(session, FACTORY, shortLived(answer), answer)
}

export async function delegate(session: BlockSession, contract: number): Promise<void> {
  session.setCode(DELEGATING, concatBytes(DELEGATION, contractAddress(contract)))
  await callContract(session, DELEGATING, bigintToBytes(0n, WORD_BYTES), BigInt(contract))
}
