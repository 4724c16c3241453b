/** EIPs 4788, 2935, 7002, 7251 */
import { BEACON_ROOTS, type Bytes20, HISTORY_STORAGE, hexToBytes, SYSTEM_CALLER } from '@keelson/primitives'
import { EvmError } from '../errors.ts'
import type { BlockSession, CallResult } from '../ports.ts'

const SYSTEM_CALL_GAS = 30_000_000n
const CALLER = hexToBytes(SYSTEM_CALLER)
export const BEACON_ROOTS_BYTES = hexToBytes(BEACON_ROOTS)
export const HISTORY_STORAGE_BYTES = hexToBytes(HISTORY_STORAGE)
export const WITHDRAWAL_REQUESTS = hexToBytes('0x00000961ef480eb55e80d19ad83579a64c007002')
export const CONSOLIDATION_REQUESTS = hexToBytes('0x0000bbddc7ce488642fb579f8b00f3a590007251')

export function systemCall(session: BlockSession, to: Bytes20, data: Uint8Array): CallResult {
  session.beginTx({ origin: CALLER, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [to], accessList: [], system: true })
  const result = session.call({ kind: 'call', from: CALLER, to, valueWei: 0n, data, gas: SYSTEM_CALL_GAS })
  session.endTx()
  return result
}

export function requiredSystemCall(session: BlockSession, to: Bytes20): Uint8Array {
  if (session.code(to).length === 0) throw new EvmError('evm/system-contract', 'a request contract that this fork needs has no code')
  const result = systemCall(session, to, new Uint8Array(0))
  if (result.status !== 'success') throw new EvmError('evm/system-contract', `a request contract failed: ${result.error}`)
  return result.output
}
