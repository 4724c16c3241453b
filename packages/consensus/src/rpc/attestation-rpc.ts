/** Keelson's own rollup_* methods, which have no optimism_* alias. */

import { offencesToJson, parseNumberOrQuantity, parseSignedAttestationJson, seenAttestationToJson } from '@keelson/contracts'
import { parseParams, RPC_ERROR_NUMBERS, RpcError, type RpcMethods } from '@keelson/runtime'
import { ConsensusError } from '../errors.ts'
import type { AttestationService } from '../p2p/attestations/attestation-service.ts'

type AttestationApi = Pick<AttestationService, 'publishAttestation' | 'attestations' | 'offences'>

export function createAttestationMethods(api: AttestationApi | null): RpcMethods {
  const on = (): AttestationApi => {
    if (api === null)
      throw new RpcError(RPC_ERROR_NUMBERS.server, 'attestations are off: this node was started without gossip (--p2p.enabled)')
    return api
  }
  return {
    rollup_publishAttestation: ([value]) =>
      answer(async () => on().publishAttestation(parseParams(() => parseSignedAttestationJson(value)))),
    rollup_attestations: ([epoch]) =>
      answer(async () => (await on().attestations(parseParams(() => parseNumberOrQuantity(epoch, 'epoch')))).map(seenAttestationToJson)),
    rollup_offences: () => answer(async () => offencesToJson(await on().offences())),
  }
}

async function answer<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof ConsensusError) throw new RpcError(RPC_ERROR_NUMBERS.server, error.message, { code: error.code, ...error.details })
    throw error
  }
}
