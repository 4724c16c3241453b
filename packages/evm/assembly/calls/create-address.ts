import { ACCOUNT_ADDRESS, SCRATCH } from '../../src/wasm/layout'
import { keccak256, keccak256Word } from '../math'
import { reverseWord, setAddressWord } from '../words'

/** The 16 bytes before it may be overwritten. */
const PREIMAGE: usize = SCRATCH + 0x210
const HASH: usize = SCRATCH + 0x300
const RLP_LIST: u8 = 0xc0
const RLP_STRING: u8 = 0x80
const ADDRESS_BYTES: u32 = 20
const CREATE2_PREFIX: u8 = 0xff

function writeAddress(to: usize, account: usize): void {
  setAddressWord(HASH, account + ACCOUNT_ADDRESS)
  reverseWord(to - 12, HASH)
}

/** Limbs of keccak256(rlp([creator, nonce])); callers ignore bits above the 160th. */
export function createAddress(creator: usize, nonce: u64): usize {
  writeAddress(PREIMAGE + 2, creator)
  const nonceAt = PREIMAGE + 2 + ADDRESS_BYTES
  let nonceBytes: u32 = 1
  if (nonce == 0) store<u8>(nonceAt, RLP_STRING)
  else if (nonce < <u64>RLP_STRING) store<u8>(nonceAt, <u8>nonce)
  else {
    const bytes: u32 = 8 - <u32>(clz(nonce) >> 3)
    store<u8>(nonceAt, RLP_STRING + <u8>bytes)
    for (let i: u32 = 0; i < bytes; i++) store<u8>(nonceAt + 1 + i, <u8>(nonce >> ((bytes - 1 - i) << 3)))
    nonceBytes = 1 + bytes
  }
  store<u8>(PREIMAGE, RLP_LIST + <u8>(1 + ADDRESS_BYTES + nonceBytes))
  store<u8>(PREIMAGE + 1, RLP_STRING + <u8>ADDRESS_BYTES)
  keccak256Word(PREIMAGE, 2 + ADDRESS_BYTES + nonceBytes, HASH)
  return HASH
}

/** EIP-1014; `salt` is a word in limbs. */
export function create2Address(creator: usize, salt: usize, code: usize, length: u32): usize {
  writeAddress(PREIMAGE + 1, creator)
  store<u8>(PREIMAGE, CREATE2_PREFIX)
  reverseWord(PREIMAGE + 21, salt)
  keccak256(code, length, PREIMAGE + 53)
  keccak256Word(PREIMAGE, 85, HASH)
  return HASH
}
