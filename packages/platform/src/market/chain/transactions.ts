import { sealedOrNull } from '@keelson/client'
import { type Address, type Hash, toAddress } from '@keelson/primitives'
import { TransactionNotFoundError, TransactionReceiptNotFoundError } from 'viem'
import type { ChainClient } from './chain-client.ts'

export interface TransactionFacts {
  readonly from: Address
  /** Null for a creation. */
  readonly to: Address | null
  /** Null while it waits for a block. */
  readonly mined: {
    readonly success: boolean
    readonly blockNumber: number
    readonly timestampSec: number
    readonly confirmations: number
    readonly gasUsed: bigint
  } | null
}

/** Throws SourceError. */
export function readTransaction(client: ChainClient, hash: Hash): Promise<TransactionFacts | null> {
  const ends = (from: string, to: string | null | undefined) => ({
    from: toAddress(from.toLowerCase()),
    to: to ? toAddress(to.toLowerCase()) : null,
  })
  return client.ask(async (viem) => {
    const receipt = await viem.getTransactionReceipt({ hash }).catch(nullOf(TransactionReceiptNotFoundError))
    if (receipt === null || sealedOrNull(receipt) === null) {
      const waiting = await viem.getTransaction({ hash }).catch(nullOf(TransactionNotFoundError))
      return waiting === null ? null : { ...ends(waiting.from, waiting.to), mined: null }
    }
    const [head, block] = await Promise.all([viem.getBlockNumber(), viem.getBlock({ blockHash: receipt.blockHash })])
    const mined = {
      success: receipt.status === 'success',
      blockNumber: Number(receipt.blockNumber),
      timestampSec: Number(block.timestamp),
      confirmations: Math.max(0, Number(head - receipt.blockNumber) + 1),
      gasUsed: receipt.gasUsed,
    }
    return { ...ends(receipt.from, receipt.to), mined }
  })
}

function nullOf(expected: new (...args: never[]) => Error) {
  return (error: unknown): null => {
    if (error instanceof expected) return null
    throw error
  }
}
