/** eth_sendRawTransaction: an error always means that the transaction was not accepted. */
import {
  CodecError,
  decodeTransaction,
  type Hash,
  parseData,
  type Transaction,
  TX_BLOB,
  TX_DEPOSIT,
  TX_SET_CODE,
} from '@keelson/primitives'
import type { RpcMethods } from '@keelson/runtime'
import { rejectionError, serverError } from './errors.ts'
import { argument } from './params.ts'
import type { RpcDependencies } from './rpc-dependencies.ts'

export function submitMethods(deps: RpcDependencies): RpcMethods {
  const { pool, forwardTransaction } = deps
  return {
    async eth_sendRawTransaction(params, context): Promise<Hash> {
      const raw = argument(params, 0, (value) => parseData(value, 'transaction'))
      const tx = decode(raw)
      if (forwardTransaction !== undefined) {
        await forwardTransaction(raw, context.signal)
        // Ours is a copy for pending nonces; the sequencer's answer is the one that counts.
        await pool.add(tx, 'peer')
        return tx.hash
      }
      const verdict = await pool.add(tx, 'local')
      if (verdict.kind === 'rejected') throw rejectionError(verdict)
      return verdict.hash
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
    throw serverError(raw.length === 0 ? 'typed transaction too short' : `rlp: ${error.message}`)
  }
}
