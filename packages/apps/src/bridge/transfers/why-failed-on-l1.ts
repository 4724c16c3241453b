import { ClientError, type LoggedReceipt } from '@keelson/client'
import { bytesToHex, CodecError, formatQuantity } from '@keelson/primitives'
import { explainL1Revert } from '../explain.ts'
import { parseTransactionFields, revertDataOf } from '../rpc-l1.ts'
import type { ChainReader } from './chains.ts'

const UNTOLD = 'the transaction failed on L1: nothing but its fee was taken'

export async function whyFailedOnL1({ rpc }: ChainReader, { transactionHash, block, gasUsed }: LoggedReceipt): Promise<string> {
  try {
    const tx = { ...parseTransactionFields(await rpc.call('eth_getTransactionByHash', [transactionHash])), inclusion: null }
    const to = tx.to === null ? {} : { to: tx.to }
    const call = { from: tx.from, ...to, value: formatQuantity(tx.valueWei), gas: formatQuantity(tx.gasLimit), data: bytesToHex(tx.data) }
    const before = formatQuantity(Math.max(0, block.number - 1))
    const output = await revertDataOf(rpc.call('eth_call', [call, before])).catch(() => null)
    return explainL1Revert(tx, gasUsed, output).text
  } catch (error) {
    if (!(error instanceof ClientError) && !(error instanceof CodecError)) throw error
    return UNTOLD
  }
}
