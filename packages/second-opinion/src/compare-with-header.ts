import { bytesToHex, KECCAK256_RLP } from '@ethereumjs/util'
import { sha256 } from '@noble/hashes/sha2.js'
import { L2_TO_L1_MESSAGE_PASSER } from './addresses.ts'
import type { Executor } from './executor.ts'
import { indexTrieRoot } from './index-trie.ts'
import type { BlockOutcome } from './run-block.ts'

/** Values are hexadecimal, except gas, which is decimal. */
export interface Difference {
  readonly field: string
  readonly header: string
  readonly computed: string
}

/** OP chains have no EIP-7685 requests. */
const NO_REQUESTS = sha256(new Uint8Array(0))

export async function compareWithHeader(
  executor: Executor,
  transactions: readonly Uint8Array[],
  outcome: BlockOutcome,
): Promise<Difference[]> {
  const { rules, state } = executor
  const { header } = executor.block
  const differences: Difference[] = []
  const compare = (field: string, stated: string | undefined, computed: string) => {
    if (stated !== computed) differences.push({ field, header: stated ?? 'absent', computed })
  }
  const compareBytes = (field: string, stated: Uint8Array | undefined, computed: Uint8Array) =>
    compare(field, stated === undefined ? undefined : bytesToHex(stated), bytesToHex(computed))
  compareBytes('transactionsRoot', header.transactionsTrie, await indexTrieRoot(transactions))
  compare('gasUsed', String(header.gasUsed), String(outcome.gasUsed))
  compareBytes('receiptsRoot', header.receiptTrie, await indexTrieRoot(outcome.receipts))
  compareBytes('logsBloom', header.logsBloom, outcome.logsBloom)
  if (rules.blobFields) compare('blobGasUsed', String(header.blobGasUsed), String(outcome.daFootprint))
  if (rules.requests === 'empty') compareBytes('requestsHash', header.requestsHash, NO_REQUESTS)
  compareBytes('stateRoot', header.stateRoot, await state.getStateRoot())
  if (rules.withdrawals === 'empty') compareBytes('withdrawalsRoot', header.withdrawalsRoot, KECCAK256_RLP)
  if (rules.withdrawals === 'storage-root') {
    await state.getAccount(L2_TO_L1_MESSAGE_PASSER)
    compareBytes('withdrawalsRoot', header.withdrawalsRoot, await state.storageRoot(L2_TO_L1_MESSAGE_PASSER.toString()))
  }
  return differences
}
