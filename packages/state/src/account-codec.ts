/** The flat table omits the hashes of empty storage and empty code. */
import {
  type Account,
  type Bytes32,
  EMPTY_BYTES,
  EMPTY_CODE_HASH_BYTES,
  EMPTY_TRIE_ROOT_BYTES,
  equalBytes,
  rlpBigint,
  rlpBytes,
  rlpDecode,
  rlpEncode,
  rlpList,
} from '@keelson/primitives'

export function encodeTrieAccount(account: Account): Uint8Array {
  return rlpEncode([account.nonce, account.balanceWei, account.storageRoot, account.codeHash])
}

export function decodeTrieAccount(bytes: Uint8Array): Account {
  const fields = rlpList(rlpDecode(bytes), 'account')
  return {
    nonce: rlpBigint(fields[0], 'account nonce', 8),
    balanceWei: rlpBigint(fields[1], 'account balance'),
    storageRoot: rlpBytes(fields[2], 'account storage root', 32),
    codeHash: rlpBytes(fields[3], 'account code hash', 32),
  }
}

export function encodeFlatAccount(account: Account): Uint8Array {
  return rlpEncode([
    account.nonce,
    account.balanceWei,
    equalBytes(account.storageRoot, EMPTY_TRIE_ROOT_BYTES) ? EMPTY_BYTES : account.storageRoot,
    equalBytes(account.codeHash, EMPTY_CODE_HASH_BYTES) ? EMPTY_BYTES : account.codeHash,
  ])
}

export function decodeFlatAccount(bytes: Uint8Array): Account {
  const fields = rlpList(rlpDecode(bytes), 'account')
  const hash = (at: number, absent: Bytes32) => {
    const field = rlpBytes(fields[at], 'account hash')
    return field.length === 0 ? absent : rlpBytes(field, 'account hash', 32)
  }
  return {
    nonce: rlpBigint(fields[0], 'account nonce', 8),
    balanceWei: rlpBigint(fields[1], 'account balance'),
    storageRoot: hash(2, EMPTY_TRIE_ROOT_BYTES),
    codeHash: hash(3, EMPTY_CODE_HASH_BYTES),
  }
}
