/** An access list under which a call touches nothing cold: eth_createAccessList. */
import { type AccessList, bytesToHex } from '@keelson/primitives'
import type { RejectedTx } from '../tx/rejection.ts'
import { type SimulatedCall, type SimulationContext, simulateCall } from './simulate-call.ts'

export type AccessListResult =
  | { readonly kind: 'created'; readonly accessList: AccessList; readonly gasUsed: bigint; readonly error: string | null }
  | RejectedTx

/** Code may branch on the gas it has left, so a list is tried until it stays the same; few need more than two rounds. */
const MAX_ROUNDS = 8

/** `call.tx` must be of a type with an access list, or is run as it is. */
export async function createAccessList(context: SimulationContext, call: SimulatedCall): Promise<AccessListResult> {
  let { tx } = call
  for (let round = 1; ; round++) {
    const result = await simulateCall(context, { ...call, tx })
    if (result.kind === 'rejected') return result
    const stable = 'accessList' in tx && fingerprint(tx.accessList) === fingerprint(result.accessed)
    if (stable || round === MAX_ROUNDS || !('accessList' in tx)) {
      return { kind: 'created', accessList: result.accessed, gasUsed: result.gasUsed, error: result.error }
    }
    tx = { ...tx, accessList: result.accessed }
  }
}

function fingerprint(list: AccessList): string {
  return list
    .map((entry) => `${bytesToHex(entry.address)}:${entry.slots.map(bytesToHex).sort().join()}`)
    .sort()
    .join(';')
}
