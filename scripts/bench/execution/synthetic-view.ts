/** Every address with the prefix has its own code of the greatest length. */
import { createMemoryView, type MemoryAccount, type StateView } from '@keelson/evm'
import { type Bytes20, type Bytes32, EMPTY_TRIE_ROOT_BYTES, padLeft } from '@keelson/primitives'

const PREFIX = [0xc0, 0xde, 0xc0, 0xde]
const HASH_MARK = 0xfe
const MAX_CODE_BYTES = 24_576
/** Jumps to its last byte, so that an analysis reads all of it. */
const START = Uint8Array.of(0x61, (MAX_CODE_BYTES - 1) >> 8, (MAX_CODE_BYTES - 1) & 0xff, 0x56)
const JUMPDEST = 0x5b

/** Address of account zero; programs add a number. */
export const FIRST_LARGE_CODE = Uint8Array.from({ length: 20 }, (_, i) => PREFIX[i] ?? 0)

export function createSyntheticView(accounts: readonly MemoryAccount[]): StateView {
  const view = createMemoryView(accounts)
  return {
    account(address) {
      if (!PREFIX.every((byte, i) => address[i] === byte)) return view.account(address)
      return { nonce: 1n, balanceWei: 0n, codeHash: hashOf(address), storageRoot: EMPTY_TRIE_ROOT_BYTES }
    },
    storage: (address, slot) => view.storage(address, slot),
    code: (codeHash) => (codeHash[0] === HASH_MARK && codeHash[1] === HASH_MARK ? largeCode(codeHash) : view.code(codeHash)),
  }
}

/** Engines look codes up by hash and do not compute it. */
function hashOf(address: Bytes20): Bytes32 {
  const hash = padLeft(address, 32)
  hash.fill(HASH_MARK, 0, 12)
  return hash
}

function largeCode(codeHash: Bytes32): Uint8Array {
  const code = new Uint8Array(MAX_CODE_BYTES).fill(JUMPDEST)
  code.set(START)
  code.set(codeHash, START.length)
  code.fill(JUMPDEST, START.length + codeHash.length)
  return code
}
