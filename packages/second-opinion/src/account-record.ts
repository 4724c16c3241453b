/** An immutable account, stored instead of the library's mutable `Account`. */
import { RLP } from '@ethereumjs/rlp'
import { Account, createAccountFromRLP } from '@ethereumjs/util'

export interface AccountRecord {
  readonly nonce: bigint
  readonly balance: bigint
  readonly storageRoot: Uint8Array
  readonly codeHash: Uint8Array
}

export function decodeAccount(leaf: Uint8Array): AccountRecord {
  return recordOf(createAccountFromRLP(leaf))
}

export function recordOf({ nonce, balance, storageRoot, codeHash }: Account): AccountRecord {
  return { nonce, balance, storageRoot, codeHash }
}

export function accountOf({ nonce, balance, storageRoot, codeHash }: AccountRecord): Account {
  return new Account(nonce, balance, storageRoot, codeHash)
}

export function encodeAccount({ nonce, balance, codeHash }: AccountRecord, storageRoot: Uint8Array): Uint8Array {
  return RLP.encode([nonce, balance, storageRoot, codeHash])
}
