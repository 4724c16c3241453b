/** Reads of the state at a node's unsafe head, by the node's own JSON-RPC methods. */
import { type Address, bytesToHex, type Hash, type Hex, hexToBytes, parseQuantity } from '@keelson/primitives'
import type { RunningNode } from '../roles/simulated-node.ts'

export interface UnsafeState {
  readonly hash: Hash
  readonly number: number
  balanceWei(address: Address): Promise<bigint>
  /** Rejects when the call reverts. `at` is another block of the same chain. */
  call(to: Address, data: Uint8Array, at?: Hash): Promise<Uint8Array>
}

export function unsafeStateOf({ execution }: Pick<RunningNode, 'execution'>): UnsafeState {
  const { hash, header } = execution.chain.label('unsafe')
  const context = { signal: new AbortController().signal, transport: 'http' as const }
  return {
    hash,
    number: header.number,
    balanceWei: async (address) =>
      parseQuantity(await execution.methods.eth_getBalance?.([address, { blockHash: hash }], context), 'eth_getBalance'),
    call: async (to, data, at = hash) =>
      hexToBytes((await execution.methods.eth_call?.([{ to, data: bytesToHex(data) }, { blockHash: at }], context)) as Hex),
  }
}
