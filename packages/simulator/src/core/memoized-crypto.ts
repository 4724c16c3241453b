/** All nodes of a simulation recover the signers of the same transactions, so one recovery serves them all. */
import type { Bytes32, Crypto, Signature } from '@keelson/primitives'
import { RecentMap } from './recent-map.ts'

const MAX_GENERATION = 8_192

/** Keys and addresses are copies, so that a caller may change what it gets. */
export function memoizedCrypto(crypto: Crypto): Crypto {
  const addresses = new RecentMap<ReturnType<Crypto['recover']>>(MAX_GENERATION)
  const keys = new RecentMap<ReturnType<Crypto['recoverKey']>>(MAX_GENERATION)
  return {
    ...crypto,
    recover: (digest, signature) =>
      (addresses.get(keyOf(digest, signature), () => crypto.recover(digest, signature))?.slice() as ReturnType<Crypto['recover']>) ?? null,
    recoverKey: (digest, signature) => keys.get(keyOf(digest, signature), () => crypto.recoverKey(digest, signature))?.slice() ?? null,
  }
}

function keyOf(digest: Bytes32, { yParity, r, s }: Signature): string {
  return `${Buffer.from(digest).toString('latin1')}${yParity} ${r} ${s}`
}
