/** All nodes of a simulation recover the signers of the same transactions, so one recovery serves them all. */
import type { Bytes32, Crypto, Signature } from '@keelson/primitives'

/** Size of a generation; two are kept. */
const MAX_REMEMBERED = 8_192

class Memo<T> {
  #latest = new Map<string, T>()
  #earlier = new Map<string, T>()

  get(key: string, compute: () => T): T {
    const known = this.#latest.get(key)
    if (known !== undefined) return known
    const value = this.#earlier.get(key) ?? compute()
    if (this.#latest.size >= MAX_REMEMBERED) {
      this.#earlier = this.#latest
      this.#latest = new Map()
    }
    this.#latest.set(key, value)
    return value
  }
}

/** Keys and addresses are copies, so that a caller may change what it gets. */
export function memoizedCrypto(crypto: Crypto): Crypto {
  const addresses = new Memo<ReturnType<Crypto['recover']>>()
  const keys = new Memo<ReturnType<Crypto['recoverKey']>>()
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
