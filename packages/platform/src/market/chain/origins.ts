/** Reads senders of transactions, and whether an address has code. */
import { type Address, type Hash, toAddress } from '@keelson/primitives'
import { TransactionNotFoundError } from 'viem'
import type { ChainClient } from './chain-client.ts'

const TRANSACTIONS_AT_ONCE = 16

/** In the order of the hashes; null for an unknown transaction. Throws SourceError. */
export async function readSenders(client: ChainClient, hashes: readonly Hash[]): Promise<readonly (Address | null)[]> {
  const senders: (Address | null)[] = []
  const one = (hash: Hash) =>
    client.ask(async (viem) => {
      const transaction = await viem.getTransaction({ hash }).catch((error: unknown) => {
        if (error instanceof TransactionNotFoundError) return null
        throw error
      })
      return transaction === null ? null : toAddress(transaction.from.toLowerCase())
    })
  for (let from = 0; from < hashes.length; from += TRANSACTIONS_AT_ONCE)
    senders.push(...(await Promise.all(hashes.slice(from, from + TRANSACTIONS_AT_ONCE).map(one))))
  return senders
}

/** Throws SourceError. */
export async function readHasCode(client: ChainClient, address: Address): Promise<boolean> {
  const code = await client.ask((viem) => viem.getCode({ address }))
  return code !== undefined && code !== '0x'
}
