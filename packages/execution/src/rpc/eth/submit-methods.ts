/** EIP-7966 */
import {
  CodecError,
  decodeTransaction,
  type Hash,
  parseData,
  parseQuantityNumber,
  type Transaction,
  TX_BLOB,
  TX_DEPOSIT,
  TX_SET_CODE,
} from '@keelson/primitives'
import { invalidParams, methodNotFound, type RpcContext, RpcError, type RpcHandler, type RpcMethods } from '@keelson/runtime'
import { withPending } from '../../subblocks/with-pending.ts'
import type { TransactionConditional } from '../../txpool/conditional.ts'
import { rejectionError, rpcError } from '../errors.ts'
import { argument, optionalArgument } from '../params.ts'
import type { RpcDependencies } from '../rpc-dependencies.ts'
import { findReceipt } from './chain-methods.ts'
import { createConditionalCheck, parseConditional } from './conditional-request.ts'

interface Condition {
  readonly parsed: TransactionConditional
  readonly sent: unknown
}

/** Error code: no block included the transaction in time. */
const SYNC_TIMEOUT = 4

const refuseConditional: RpcHandler = () => {
  const { number, message } = methodNotFound('eth_sendRawTransactionConditional')
  throw new RpcError(number, `${message}: the operator of this node enables it with --rpc.conditional`)
}

export function submitMethods(deps: RpcDependencies): RpcMethods {
  const { pool, state, forwardTransaction, options } = deps

  const checkConditional = createConditionalCheck(deps)
  const sendConditional: RpcHandler = async (params, context) => {
    const raw = rawOf(params)
    const conditional = { parsed: argument(params, 1, parseConditional), sent: params[1] }
    await checkConditional(conditional.parsed, context)
    return submit(raw, decode(raw), context, conditional)
  }

  const submit = async (raw: Uint8Array, tx: Transaction, { signal }: RpcContext, conditional: Condition | null = null): Promise<Hash> => {
    const added = conditional === null ? {} : { conditional: conditional.parsed }
    if (forwardTransaction !== undefined) {
      await forwardTransaction(raw, signal, conditional?.sent)
      // The transaction is forwarded; the local copy only serves pending nonces.
      if (state.disk !== null) await pool.add(tx, 'peer', added)
      return tx.hash
    }
    if (state.disk === null) throw rpcError('stateSyncing')
    const verdict = await pool.add(tx, 'local', added)
    if (verdict.kind === 'rejected') throw rejectionError(verdict)
    return verdict.hash
  }

  const rawOf = (params: readonly unknown[]) => argument(params, 0, (value) => parseData(value, 'transaction'))

  return {
    async eth_sendRawTransaction(params, context) {
      const raw = rawOf(params)
      return submit(raw, decode(raw), context)
    },
    eth_sendRawTransactionConditional: options.conditionalTransactions ? sendConditional : refuseConditional,
    async eth_sendRawTransactionSync(params, context) {
      const wanted = optionalArgument(params, 1, options.syncSubmitTimeoutMs, parseTimeout)
      const timeoutMs = Math.min(wanted === 0 ? options.syncSubmitTimeoutMs : wanted, options.maxSyncSubmitTimeoutMs)
      const arrival = watchBlocks(deps)
      try {
        const raw = rawOf(params)
        const hash = await submit(raw, decode(raw), context)
        const ended = arrival.within(timeoutMs, context.signal)
        for (;;) {
          const receipt = findReceipt(withPending(deps, deps.pending()), hash)
          if (receipt !== null) return receipt
          if (!(await ended())) {
            const text = `The transaction was added to the transaction pool but wasn't processed in ${timeoutMs / 1000}s`
            throw new RpcError(SYNC_TIMEOUT, text, hash)
          }
        }
      } finally {
        arrival.stop()
      }
    },
  }
}

/** Zero means the default, as in geth. */
function parseTimeout(value: unknown): number {
  const ms = typeof value === 'number' ? value : parseQuantityNumber(value, 'timeout')
  if (!Number.isSafeInteger(ms) || ms < 0)
    throw invalidParams(`invalid argument 1: expected a timeout in milliseconds, got ${JSON.stringify(value)}`)
  return ms
}

interface BlockWatch {
  within(ms: number, signal: AbortSignal): () => Promise<boolean>
  stop(): void
}

/** Wakes at a new head, and when the block that is being built grows. */
function watchBlocks({ onMove, onPending, clock }: RpcDependencies): BlockWatch {
  const timer = new AbortController()
  let moved = false
  let wake: ((value: boolean) => void) | null = null
  const moves = () => {
    moved = true
    wake?.(true)
  }
  const unsubscribes = [onMove(moves), onPending(moves)]
  return {
    within(ms, signal) {
      let over = false
      const end = () => {
        over = true
        wake?.(false)
      }
      clock.sleep(ms, AbortSignal.any([signal, timer.signal])).then(end, end)
      return async () => {
        if (!moved && !over) await new Promise<boolean>((resolve) => (wake = resolve))
        wake = null
        signal.throwIfAborted()
        if (!moved) return false
        moved = false
        return true
      }
    },
    stop() {
      for (const unsubscribe of unsubscribes) unsubscribe()
      timer.abort()
    },
  }
}

function decode(raw: Uint8Array): Transaction {
  const type = raw[0] ?? 0
  if (raw.length > 0 && type < 0x80 && type > TX_SET_CODE && type !== TX_DEPOSIT)
    throw rejectionError({ reason: 'type-not-supported', detail: '' })
  try {
    return decodeTransaction(raw)
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    if (type === TX_BLOB) throw rejectionError({ reason: 'type-not-supported', detail: '' })
    throw raw.length === 0 ? rpcError('shortTransaction') : rpcError('malformedTransaction', ` ${error.message}`)
  }
}
