/** An access list under which a call touches nothing cold: eth_createAccessList. */
import { type AccessList, bytesToHex, compareBytes } from '@keelson/primitives'
import type { RejectedTx } from '../tx/rejection.ts'
import { type SimulatedCall, type SimulationContext, simulateCall } from './simulate-call.ts'

export interface CreatedAccessList {
  readonly kind: 'created'
  /** Sorted by address, slots by key. */
  readonly accessList: AccessList
  /** Gas that the call uses with `accessList`. */
  readonly gasUsed: bigint
  readonly status: 'success' | 'revert' | 'halt'
  /** Null when the call succeeds. */
  readonly error: string | null
}

/**
 * Code may branch on the gas that is left, so a list is extended until a run adds nothing to it; few calls need more
 * than two runs. A call that reveals one more slot in each run could go on until its gas is used up.
 */
const MAX_ROUNDS = 8

/**
 * Each round runs with the list of the round before, and the list and the gas of the answer belong to the same run.
 * All rounds share `context.tracer`, and with it the deadline. When the list still grows in the last round, the answer
 * is the incomplete list of that round. A transaction of a type without an access list runs once.
 */
export async function createAccessList(context: SimulationContext, call: SimulatedCall): Promise<CreatedAccessList | RejectedTx> {
  let { tx } = call
  for (let round = 1; ; round++) {
    const result = await simulateCall(context, { ...call, tx })
    if (result.kind === 'rejected') return result
    const given = 'accessList' in tx ? sorted(tx.accessList) : null
    const found = sorted(result.accessed)
    if (given === null || round === MAX_ROUNDS || fingerprint(given) === fingerprint(found)) {
      const { gasUsed, status, error } = result
      return { kind: 'created', accessList: given ?? found, gasUsed, status, error }
    }
    tx = { ...tx, accessList: found } as typeof tx
  }
}

function sorted(list: AccessList): AccessList {
  return list
    .map(({ address, slots }) => ({ address, slots: [...slots].sort(compareBytes) }))
    .sort((a, b) => compareBytes(a.address, b.address))
}

function fingerprint(list: AccessList): string {
  return list.map((entry) => `${bytesToHex(entry.address)}:${entry.slots.map(bytesToHex).join()}`).join(';')
}
