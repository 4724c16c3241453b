/** Measures gas in a contract, because `eth_call` does not return it. */
import type { MemoryAccount } from '@keelson/evm'
import { bigintToBytes, concatBytes, padLeft } from '@keelson/primitives'
import { assemble } from './assemble.ts'
import type { Work } from './work.ts'

export const HARNESS = new Uint8Array(20).fill(0x4a)

/** Input: repetitions, target, data. Output: gas, success, last output. */
const HARNESS_CODE = assemble(`
  64 CALLDATASIZE SUB
  DUP1 64 0 CALLDATACOPY
  GAS 1 0 CALLDATALOAD
  DUP1 ISZERO @done JUMPI
  loop:
    0 0 DUP6 0 0 32 CALLDATALOAD GAS CALL
    SWAP1 SWAP2 AND SWAP1
    1 SWAP1 SUB DUP1 @loop JUMPI
  done:
  POP 32 MSTORE
  GAS SWAP1 SUB 0 MSTORE
  RETURNDATASIZE 0 64 RETURNDATACOPY
  RETURNDATASIZE 64 ADD 0 RETURN
`)

export function harnessCall(work: Work, repetitions: number): Uint8Array {
  return concatBytes(bigintToBytes(BigInt(repetitions), 32), padLeft(work.target, 32), work.data)
}

export function accountsOf(work: Work, seed: number): readonly MemoryAccount[] {
  return [{ address: HARNESS, code: HARNESS_CODE }, ...work.accounts(seed)]
}

export interface HarnessOutput {
  readonly gas: number
  readonly succeeded: boolean
}

export function readHarness(output: Uint8Array): HarnessOutput {
  if (output.length < 64) return { gas: 0, succeeded: false }
  const view = new DataView(output.buffer, output.byteOffset, 64)
  return { gas: Number(view.getBigUint64(24)), succeeded: output[63] === 1 }
}
