/** Decoded result of debug_executionWitness. */
import { RLP } from '@ethereumjs/rlp'
import { bytesToHex, equalsBytes } from '@ethereumjs/util'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { incompleteWitness, invalidBlock } from './errors.ts'

export interface BlockWitness {
  /** RLP of the parent state's trie nodes, in any order. */
  readonly state: readonly Uint8Array[]
  readonly codes: readonly Uint8Array[]
  /** RLP of consecutive headers; the last is the parent. */
  readonly headers: readonly Uint8Array[]
}

/** Nothing is trusted beyond its keccak hash. */
export function byHash(items: readonly Uint8Array[]): ReadonlyMap<string, Uint8Array> {
  return new Map(items.map((item) => [bytesToHex(keccak_256(item)), item]))
}

export interface Ancestors {
  readonly parentStateRoot: Uint8Array
  /** Throws if the witness lacks the header. */
  hashOf(number: number): Uint8Array
}

/** Verifies the links up to `parentHash`. */
export function readAncestors(headers: readonly Uint8Array[], parentHash: Uint8Array): Ancestors {
  const hashes = new Map<number, Uint8Array>()
  let expected = parentHash
  let parentStateRoot: Uint8Array | null = null
  for (const encoded of [...headers].reverse()) {
    const hash = keccak_256(encoded)
    if (!equalsBytes(hash, expected)) throw invalidBlock(`the headers of the witness do not link: expected ${bytesToHex(expected)}`)
    const fields = RLP.decode(encoded)
    const [parent, stateRoot, number] = [fields[0], fields[3], fields[8]]
    if (!(parent instanceof Uint8Array && stateRoot instanceof Uint8Array && number instanceof Uint8Array)) {
      throw invalidBlock('a header of the witness is not a list of byte strings')
    }
    hashes.set(Number(BigInt(`0x0${bytesToHex(number).slice(2)}`)), hash)
    parentStateRoot ??= stateRoot
    expected = parent
  }
  if (parentStateRoot === null) throw incompleteWitness('the witness lacks the header of the parent')
  return {
    parentStateRoot,
    hashOf(number) {
      const hash = hashes.get(number)
      if (hash === undefined) throw incompleteWitness(`the witness lacks the header of block ${number}, whose hash a contract reads`)
      return hash
    },
  }
}
