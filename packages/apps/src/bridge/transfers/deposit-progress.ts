/** Keeps no record, so progress may move backwards. */
import { findLoggedReceipt, isKnownTransaction, type LoggedReceipt } from '@keelson/client'
import {
  decodeBool,
  encodeSuccessfulMessages,
  FAILED_RELAYED_MESSAGE_TOPIC,
  messageHash,
  TRANSACTION_DEPOSITED_TOPIC,
} from '@keelson/contracts'
import { decodeDepositLog } from '@keelson/derivation/codec'
import { type Address, type DepositTransaction, type Hash, L2_CROSS_DOMAIN_MESSENGER, toAddress } from '@keelson/primitives'
import { aliasOf } from '../deposit-facts.ts'
import { explainBelowMinimum, explainL2Failure } from '../explain.ts'
import type { Reason } from '../record.ts'
import { createRpcL2 } from '../rpc-l2.ts'
import { adoptedOrigin, type BridgeContracts, type ChainReader } from './chains.ts'
import { whyFailedOnL1 } from './why-failed-on-l1.ts'

export type DepositState = 'pending' | 'relaying' | 'complete' | 'failed'

export interface DepositProgress {
  readonly state: DepositState
  readonly text: string
  readonly l1Block: number | null
  readonly l2TxHash: Hash | null
  readonly l2Block: number | null
  /** The amount is below the minimum; L2 includes it nevertheless. */
  readonly reason: Reason | null
}

export async function readDepositProgress(
  l1: ChainReader,
  l2: ChainReader,
  contracts: BridgeContracts,
  l1TxHash: Hash,
): Promise<readonly DepositProgress[] | null> {
  const receipt = await findLoggedReceipt(l1.rpc, l1TxHash)
  const nowhere = { l1Block: null, l2TxHash: null, l2Block: null, reason: null }
  if (receipt === null) {
    if (!(await isKnownTransaction(l1.rpc, l1TxHash))) return null
    return [{ ...nowhere, state: 'pending', text: 'L1 has not included it yet' }]
  }
  if (!receipt.succeeded) {
    const text = await whyFailedOnL1(l1, receipt)
    return [{ ...nowhere, l1Block: receipt.block.number, state: 'failed', text }]
  }
  const deposits = depositsIn(receipt, contracts)
  if (deposits.length === 0) return null
  return Promise.all(deposits.map((deposit) => progressOf(l2, contracts, deposit, receipt.block.number)))
}

export function depositsIn({ logs, block }: LoggedReceipt, contracts: BridgeContracts): readonly DepositTransaction[] {
  return logs
    .filter(({ log }) => log.address === contracts.portal && log.topics[0] === TRANSACTION_DEPOSITED_TOPIC)
    .map(({ log, index }) => decodeDepositLog(log, block.hash, index))
}

async function progressOf(
  l2: ChainReader,
  { messenger }: BridgeContracts,
  deposit: DepositTransaction,
  l1Block: number,
): Promise<DepositProgress> {
  const at = { l1Block, l2TxHash: deposit.hash, reason: explainBelowMinimum({ mintWei: deposit.mintWei.toString() }) }
  const receipt = await findLoggedReceipt(l2.rpc, deposit.hash)
  if (receipt === null) {
    const origin = await adoptedOrigin(l2)
    const text = `L2 includes deposits up to L1 block ${origin}; this one is in block ${l1Block}`
    return { ...at, l2Block: null, state: 'pending', text }
  }
  const l2Block = receipt.block.number
  const safe = await l2.blockRef('safe')
  if (safe === null || safe.number < l2Block) {
    const text = `in L2 block ${l2Block}; waits until that block can be derived from L1 (safe now: ${safe?.number ?? 'none'})`
    return { ...at, l2Block, state: 'relaying', text }
  }
  const failure = await failureOf(l2, messenger, deposit, receipt)
  return failure === null
    ? { ...at, l2Block, state: 'complete', text: `in L2 block ${l2Block}, which is safe` }
    : { ...at, l2Block, state: 'failed', text: failure }
}

async function failureOf(l2: ChainReader, messenger: Address, deposit: DepositTransaction, receipt: LoggedReceipt): Promise<string | null> {
  if (!receipt.succeeded) {
    const failure = await createRpcL2(l2.rpc)
      .whyFailed(deposit.hash, receipt.block.number)
      .catch(() => null)
    const sender = toAddress(deposit.from)
    const facts = {
      sender,
      mintWei: deposit.mintWei.toString(),
      gasLimit: deposit.gasLimit.toString(),
      messageHash: sender === aliasOf(messenger) ? messageHash(deposit.data) : null,
    }
    return explainL2Failure(facts, receipt.gasUsed.toString(), failure).text
  }
  const hash = messageHash(deposit.data)
  const failed = receipt.logs.some(
    ({ log }) => log.address === L2_CROSS_DOMAIN_MESSENGER && log.topics[0] === FAILED_RELAYED_MESSAGE_TOPIC && log.topics[1] === hash,
  )
  if (!failed) return null
  if (decodeBool(await l2.call(L2_CROSS_DOMAIN_MESSENGER, encodeSuccessfulMessages(hash)))) return null
  return `the message failed on L2 and its value waits in the messenger: anyone may call relayMessage of ${L2_CROSS_DOMAIN_MESSENGER} with it again`
}
