import { parseOffencesJson, parseSeenAttestationJson, signedAttestationToJson } from '@keelson/contracts'
import { CodecError, parseJsonArray } from '@keelson/primitives'
import { ValidatorError } from './errors.ts'
import type { AttestationGossip } from './ports.ts'

export type AttestationCall = (method: string, params: readonly unknown[]) => Promise<unknown>

/** Rejects as `call` does, and with ValidatorError `consensus/attestations` for a malformed answer. */
export function createAttestationClient(call: AttestationCall): AttestationGossip {
  async function ask<T>(method: string, params: readonly unknown[], parse: (answer: unknown) => T): Promise<T> {
    const answer = await call(method, params)
    try {
      return parse(answer)
    } catch (cause) {
      if (!(cause instanceof CodecError)) throw cause
      throw new ValidatorError('consensus/attestations', 'temporary', `${method}: ${cause.message}`, {}, { cause })
    }
  }
  return {
    publishAttestation: (signed) =>
      ask('rollup_publishAttestation', [signedAttestationToJson(signed)], (answer) => {
        if (answer === 'accepted' || answer === 'known') return answer
        throw new CodecError('codec/json', `expected accepted or known, got ${String(answer).slice(0, 80)}`)
      }),
    attestations: (epoch) =>
      ask('rollup_attestations', [epoch], (answer) => parseJsonArray(answer, 'attestations', parseSeenAttestationJson)),
    offences: () => ask('rollup_offences', [], parseOffencesJson),
  }
}
