import { recoverAuthority } from '@keelson/evm'
import { type Address, type Crypto, type Hash, type SignedTransaction, TX_SET_CODE, toAddress } from '@keelson/primitives'

export interface Authorities {
  has(address: Address): boolean
  add(transaction: Hash, authorities: readonly Address[]): void
  remove(transaction: Hash): void
}

export function createAuthorities(): Authorities {
  const counts = new Map<Address, number>()
  const ofTransaction = new Map<Hash, readonly Address[]>()
  return {
    has: (address) => counts.has(address),
    add(transaction, authorities) {
      if (authorities.length === 0) return
      ofTransaction.set(transaction, authorities)
      for (const address of authorities) counts.set(address, (counts.get(address) ?? 0) + 1)
    },
    remove(transaction) {
      for (const address of ofTransaction.get(transaction) ?? []) {
        const left = (counts.get(address) ?? 0) - 1
        if (left > 0) counts.set(address, left)
        else counts.delete(address)
      }
      ofTransaction.delete(transaction)
    },
  }
}

export function authoritiesOfTransaction(tx: SignedTransaction, crypto: Crypto, chainId: bigint): readonly Address[] {
  if (tx.type !== TX_SET_CODE) return []
  const found = new Set<Address>()
  for (const authorization of tx.authorizationList) {
    const authority = recoverAuthority(authorization, crypto, chainId)
    if (authority !== null) found.add(toAddress(authority))
  }
  return [...found]
}
