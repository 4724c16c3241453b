import {
  type Bytes20,
  type Crypto,
  isDeposit,
  isPostExec,
  type PostExecTransaction,
  type SignedTransaction,
  type Transaction,
} from '@keelson/primitives'
import type { OpenBlock, TxResult } from '../block/block-types.ts'
import type { EvmTracer } from '../tracer.ts'
import { recoverAuthority } from '../tx/authorizations.ts'
import type { TracedTransaction, TransactionTracer } from './transaction-tracer.ts'

export interface TracerSlot {
  tracer: EvmTracer | null
}

/** `slot` must be the `session` options of `block`. */
export function traceTransaction(
  block: OpenBlock,
  slot: TracerSlot,
  tracer: TransactionTracer,
  tx: Transaction,
  sender: Bytes20,
  crypto: Crypto,
): TxResult {
  const { session } = block
  tracer.start(
    tracedTransaction(isPostExec(tx) ? withoutCode(tx) : tx, sender, session.nonce(sender), crypto, session.env.chainId),
    session,
  )
  slot.tracer = tracer.hooks
  try {
    const result = block.applyTransaction(tx, sender)
    if (result.kind === 'included') {
      const obstacle = isDeposit(tx) && result.error?.startsWith(OBSTACLE) === true ? result.error : null
      tracer.end({ gasUsed: result.gasUsed, obstacle })
    }
    return result
  } finally {
    slot.tracer = null
  }
}

/** A post-execution transaction runs no code; its frame shows the payload. specs: protocol/lagoon/post-exec.md#receipt */
function withoutCode({ payload }: PostExecTransaction): Traced {
  return { to: NO_RECIPIENT, gasLimit: 0n, valueWei: 0n, data: payload }
}

type Traced = Pick<SignedTransaction, 'to' | 'gasLimit' | 'valueWei' | 'data'>
const NO_RECIPIENT = new Uint8Array(20)
const OBSTACLE = 'failed deposit: '

export function tracedTransaction(tx: Traced, sender: Bytes20, nonce: bigint, crypto: Crypto, chainId: bigint): TracedTransaction {
  const { to, gasLimit, valueWei, data } = tx
  const list = 'authorizationList' in tx ? (tx.authorizationList as Parameters<typeof recoverAuthority>[0][]) : []
  const authorities = list.map((entry) => recoverAuthority(entry, crypto, chainId)).filter((authority) => authority !== null)
  return { from: sender, to, nonce, gasLimit, valueWei, data, authorities }
}
