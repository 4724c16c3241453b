import {
  type Address,
  formatQuantity,
  type Hash,
  parseData,
  parseHash,
  parseJsonArray,
  parseJsonObject,
  parseQuantity,
} from '@keelson/primitives'
import type { RpcClient } from '../rpc/rpc-client.ts'
import { verified } from '../rpc/verified.ts'

export interface StorageProof {
  readonly value: bigint
  /** Trie nodes from the storage root down. */
  readonly nodes: readonly Uint8Array[]
}

export interface AccountProof {
  readonly storageRoot: Hash
  readonly storage: readonly StorageProof[]
}

/** Returns an unverified EIP-1186 proof. Throws ClientError, also when the node has pruned the state. */
export async function getAccountProof(rpc: RpcClient, account: Address, slots: readonly Hash[], at: number): Promise<AccountProof> {
  const answer = await rpc.call('eth_getProof', [account, slots, formatQuantity(at)])
  return verified(rpc.host, () => {
    const proof = parseJsonObject(answer, 'eth_getProof')
    return {
      storageRoot: parseHash(proof.storageHash, 'storageHash'),
      storage: parseJsonArray(proof.storageProof, 'storageProof', (item, what) => {
        const entry = parseJsonObject(item, what)
        return {
          value: parseQuantity(entry.value, `${what}.value`),
          nodes: parseJsonArray(entry.proof, `${what}.proof`, (node, where) => parseData(node, where)),
        }
      }),
    }
  })
}
