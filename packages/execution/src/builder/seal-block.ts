/** specs: protocol/holocene, isthmus and jovian exec-engine.md */
import { type BlockResult, encodeExtraData } from '@keelson/evm'
import {
  type Block,
  type Bytes20,
  EMPTY_OMMERS_HASH,
  EMPTY_TRIE_ROOT,
  encodeReceipt,
  encodeWithdrawal,
  type Hash,
  type Header,
  hashHeader,
  orderedListRoot,
  type Transaction,
  toHash,
} from '@keelson/primitives'
import type { ComputedState } from '@keelson/state'
import { messagePasserRoot } from '../import/execute-checked.ts'
import { storedReceipts } from '../import/executed-block.ts'
import type { ExecutionContext } from '../import/execution-context.ts'
import { blockSkeleton } from './block-skeleton.ts'
import type { PayloadRequest, SealedPayload } from './payload-request.ts'

export interface ExecutedDraft {
  readonly result: BlockResult
  readonly transactions: readonly Transaction[]
  readonly senders: readonly Bytes20[]
  readonly elapsedMs: number
}

export function sealBlock(context: ExecutionContext, request: PayloadRequest, draft: ExecutedDraft): SealedPayload {
  const { parent, attributes, rules } = request
  const { result, transactions, senders } = draft
  const beganMs = context.clock.monotonicMs()
  const computed = context.state.rootOf(parent.hash, result.diff)
  const header: Header = {
    ...blockSkeleton(parent, attributes, rules),
    ommersHash: EMPTY_OMMERS_HASH,
    stateRoot: toHash(computed.root),
    transactionsRoot: orderedListRoot(transactions.map((tx) => tx.raw)),
    receiptsRoot: orderedListRoot(result.receipts.map(encodeReceipt)),
    logsBloom: result.logsBloom,
    gasUsed: result.gasUsed,
    extraData: request.extraData ?? encodeExtraData(rules, attributes.eip1559Params, attributes.minBaseFeeWei),
    nonce: new Uint8Array(8),
    withdrawalsRoot: withdrawalsRoot(request, computed),
    blobGasUsed: result.blobGasUsed,
    requestsHash: result.requestsHash,
    blockAccessListHash: null,
    slotNumber: null,
  }
  const block: Block = { hash: hashHeader(header), header, transactions, withdrawals: attributes.withdrawals }
  return {
    executed: {
      block,
      receipts: storedReceipts(result, senders),
      diff: result.diff,
      computed,
      elapsedMs: draft.elapsedMs + context.clock.monotonicMs() - beganMs,
    },
    blockValueWei: result.tipsWei,
  }
}

function withdrawalsRoot(request: PayloadRequest, computed: ComputedState): Hash | null {
  switch (request.rules.withdrawals) {
    case 'absent':
      return null
    case 'empty':
      return EMPTY_TRIE_ROOT
    case 'storage-root':
      return messagePasserRoot(computed)
    case 'list':
      return orderedListRoot((request.attributes.withdrawals ?? []).map(encodeWithdrawal))
  }
}
