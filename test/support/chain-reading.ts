import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DevnetProcess } from './devnet-process.ts'
import { rpcCall } from './json-rpc.ts'

export interface HeadStatus {
  readonly hash: string
  readonly number: number
}
export interface SyncStatusJson {
  readonly unsafe_l2: HeadStatus & { readonly l1origin: HeadStatus }
  readonly safe_l2: HeadStatus & { readonly l1origin: HeadStatus }
  readonly finalized_l2: HeadStatus
  readonly current_l1: HeadStatus
}

export function syncStatus(rollupRpcUrl: string): Promise<SyncStatusJson> {
  return rpcCall<SyncStatusJson>(rollupRpcUrl, 'rollup_syncStatus')
}

export interface BlockJson {
  readonly number: string
  readonly hash: string
  readonly transactions: readonly {
    readonly type: string
    readonly hash: string
    readonly sourceHash?: string
    readonly to: string | null
  }[]
}

export function blockAt(url: string, at: number | 'latest' | 'safe' | 'finalized'): Promise<BlockJson | null> {
  const block = typeof at === 'number' ? `0x${at.toString(16)}` : at
  return rpcCall<BlockJson | null>(url, 'eth_getBlockByNumber', [block, true])
}

export async function blockHashes(url: string, last: number): Promise<string[]> {
  const hashes: string[] = []
  for (let number = 1; number <= last; number++) {
    const block = await blockAt(url, number)
    if (block === null) throw new Error(`${url} has no block ${number}`)
    hashes.push(block.hash)
  }
  return hashes
}

export async function batchTypes(devnet: DevnetProcess): Promise<Set<number>> {
  const rollup = JSON.parse(readFileSync(join(devnet.folder, 'network', 'rollup.json'), 'utf8')) as { batch_inbox_address: string }
  const inbox = rollup.batch_inbox_address.toLowerCase()
  const head = Number(await rpcCall<string>(devnet.facts.l1.rpcUrl, 'eth_blockNumber'))
  const types = new Set<number>()
  for (let number = 0; number <= head; number++) {
    const block = await blockAt(devnet.facts.l1.rpcUrl, number)
    for (const tx of block?.transactions ?? []) if (tx.to?.toLowerCase() === inbox) types.add(Number(tx.type))
  }
  return types
}
