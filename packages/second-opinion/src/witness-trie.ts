import { createMPT, type MerklePatriciaTrie } from '@ethereumjs/mpt'
import { bytesToHex, equalsBytes, KECCAK256_RLP, MapDB, unprefixedHexToBytes } from '@ethereumjs/util'
import { incompleteWitness } from './errors.ts'

export class WitnessNodes {
  readonly #db = new MapDB<string, string | Uint8Array>()

  private constructor() {}

  /** `nodes` maps hexadecimal hashes to RLP. */
  static async of(nodes: ReadonlyMap<string, Uint8Array>): Promise<WitnessNodes> {
    const all = new WitnessNodes()
    const { database } = await createMPT({ db: all.#db }).then((trie) => ({ database: trie.database() }))
    for (const [hash, node] of nodes) await database.put(unprefixedHexToBytes(hash.slice(2)), node)
    return all
  }

  async open(root: Uint8Array): Promise<WitnessTrie> {
    const trie = await createMPT({ db: this.#db, useKeyHashing: true })
    trie.root(root)
    return new WitnessTrie(trie)
  }
}

/** Throws `witness-incomplete` for a missing node. */
export class WitnessTrie {
  readonly #trie: MerklePatriciaTrie

  constructor(trie: MerklePatriciaTrie) {
    this.#trie = trie
  }

  /** Null proves that the key is absent. */
  async get(key: Uint8Array): Promise<Uint8Array | null> {
    // The library would look for a node with the hash of the empty trie.
    if (equalsBytes(this.root, KECCAK256_RLP)) return null
    return this.#attempt(key, () => this.#trie.get(key, true))
  }

  async put(key: Uint8Array, value: Uint8Array): Promise<void> {
    // read first, because the library's `put` mistakes a missing node for an absent key
    await this.get(key)
    await this.#attempt(key, () => this.#trie.put(key, value))
  }

  async delete(key: Uint8Array): Promise<void> {
    if ((await this.get(key)) !== null) await this.#attempt(key, () => this.#trie.del(key))
  }

  get root(): Uint8Array {
    return this.#trie.root()
  }

  async #attempt<T>(key: Uint8Array, operation: () => Promise<T>): Promise<T> {
    try {
      return await operation()
    } catch (error) {
      throw incompleteWitness(`the witness lacks a trie node on the path of ${bytesToHex(key)}: ${(error as Error).message}`)
    }
  }
}
