import { type AccessList, bytesToHex, compareBytes, TX_SET_CODE } from '@keelson/primitives'
import { recoverAuthority } from '../tx/authorizations.ts'
import { createAddress } from '../tx/contract-address.ts'
import type { RejectedTx } from '../tx/rejection.ts'
import { type SimulatedCall, type SimulationContext, simulateCall } from './simulate-call.ts'

export interface CreatedAccessList {
  readonly kind: 'created'
  readonly accessList: AccessList
  readonly gasUsed: bigint
  readonly status: 'success' | 'revert' | 'halt'
  readonly error: string | null
}

/** Code may depend on the gas left, which each list changes. */
const MAX_ROUNDS = 8

export function createAccessList(context: SimulationContext, call: SimulatedCall): CreatedAccessList | RejectedTx {
  let tx = withoutWarmEntries(context, call)
  for (let round = 1; ; round++) {
    const result = simulateCall(context, { ...call, tx })
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

/** An entry for an address that is warm anyway costs more than it saves. What the call reads of its storage is found again. */
function withoutWarmEntries({ engine, rules, crypto, chainId }: SimulationContext, { from, tx }: SimulatedCall): SimulatedCall['tx'] {
  if (!('accessList' in tx) || tx.accessList.length === 0) return tx
  const authorizations = tx.type === TX_SET_CODE ? tx.authorizationList : []
  const authorities = authorizations.flatMap((authorization) => recoverAuthority(authorization, crypto, chainId) ?? [])
  const warm = [from, tx.to ?? createAddress(from, tx.nonce), ...engine.precompiles(rules), ...authorities]
  const warmHex = new Set(warm.map(bytesToHex))
  return { ...tx, accessList: tx.accessList.filter(({ address }) => !warmHex.has(bytesToHex(address))) }
}

function sorted(list: AccessList): AccessList {
  return list
    .map(({ address, slots }) => ({ address, slots: [...slots].sort(compareBytes) }))
    .sort((a, b) => compareBytes(a.address, b.address))
}

function fingerprint(list: AccessList): string {
  return list.map((entry) => `${bytesToHex(entry.address)}:${entry.slots.map(bytesToHex).join()}`).join(';')
}
