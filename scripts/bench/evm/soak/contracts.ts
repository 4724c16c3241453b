/** Each code returns its own number, which reveals a wrong code. */
import { createMemoryView, type MemoryAccount, type StateView } from '@keelson/evm'
import { type Bytes20, bigintToBytes, bytesToBigint, concatBytes, EMPTY_TRIE_ROOT_BYTES, padLeft } from '@keelson/primitives'
import { assemble } from '../assemble.ts'

const MAX_CODE_BYTES = 24_576
const JUMPDEST = 0x5b
const ROUNDS = 20
const HASH_MARK = 0xfd

export const FIRST_CONTRACT = 0xc0ffee00000000n

export function countingCode(answer: bigint): Uint8Array {
  return assemble(`
    0 SLOAD 1 ADD 0 SSTORE
    ${ROUNDS} loop: 1 SWAP1 SUB DUP1 DUP1 MUL 7 MUL POP DUP1 @loop JUMPI POP
    0x${answer.toString(16).padStart(16, '0')} 0 MSTORE 32 0 RETURN
  `)
}

/** The most basic blocks that fit a contract, expensive to compile. */
export function bombCode(answer: bigint): Uint8Array {
  const code = new Uint8Array(MAX_CODE_BYTES).fill(JUMPDEST)
  code.set(countingCode(answer))
  const body = assemble('DUP1 JUMPI MSIZE MSIZE')
  for (let at = 128; at + body.length < code.length; at += body.length + 1) code.set(body, at + 1)
  return code
}

export function contractAddress(index: number): Bytes20 {
  return bigintToBytes(FIRST_CONTRACT + BigInt(index), 20)
}

export function contracts(count: number, codeOf: (answer: bigint) => Uint8Array): readonly MemoryAccount[] {
  return Array.from({ length: count }, (_, index) => ({ address: contractAddress(index), code: codeOf(BigInt(index)) }))
}

/** A contract at every address, which exists only while it is read. */
export function createEndlessView(codeOf: (answer: bigint) => Uint8Array): StateView {
  const others = createMemoryView([])
  const indexOf = (address: Bytes20) => bytesToBigint(address) - FIRST_CONTRACT
  return {
    account(address) {
      if (indexOf(address) < 0n || indexOf(address) > 0xffffffffn) return others.account(address)
      const codeHash = concatBytes(new Uint8Array(24).fill(HASH_MARK), bigintToBytes(indexOf(address), 8))
      return { nonce: 1n, balanceWei: 0n, codeHash, storageRoot: EMPTY_TRIE_ROOT_BYTES }
    },
    storage: () => new Uint8Array(32),
    code: (codeHash) => codeOf(bytesToBigint(padLeft(codeHash.subarray(24), 32))),
  }
}
