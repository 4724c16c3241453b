/** The parameter of admin_postUnsafePayload and conductor_commitUnsafePayload. */

import type { PayloadEnvelope } from '../engine/engine-api.ts'
import { parseHash, parseJsonObject, parseOptional } from '../quantity.ts'
import { executionPayloadToJson, type JsonObject, parseExecutionPayloadJson } from './engine-json.ts'

/** Size of a request with an envelope: gossip carries blocks of up to 10 MiB, and hex doubles their size. */
export const MAX_ENVELOPE_REQUEST_BYTES = 24 * 1024 * 1024

export function envelopeToJson({ payload, parentBeaconBlockRoot }: PayloadEnvelope): JsonObject {
  return {
    executionPayload: executionPayloadToJson(payload),
    ...(parentBeaconBlockRoot === null ? {} : { parentBeaconBlockRoot }),
  }
}

export function parseEnvelopeJson(value: unknown): PayloadEnvelope {
  const { executionPayload, parentBeaconBlockRoot } = parseJsonObject(value, 'payload envelope')
  return {
    payload: parseExecutionPayloadJson(executionPayload),
    parentBeaconBlockRoot: parseOptional(parentBeaconBlockRoot, 'parentBeaconBlockRoot', parseHash),
  }
}
