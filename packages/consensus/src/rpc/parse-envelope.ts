/** A payload with its beacon root as it stands in a call: admin_postUnsafePayload, conductor_commitUnsafePayload. */
import { CodecError, type PayloadEnvelope, parseExecutionPayloadJson, parseHash, parseJsonObject, parseOptional } from '@keelson/primitives'
import { invalidParams } from '@keelson/runtime'

/** Throws RpcError with the number of invalid params. */
export function parseEnvelope(value: unknown): PayloadEnvelope {
  return asParams(() => {
    const { executionPayload, parentBeaconBlockRoot } = parseJsonObject(value, 'payload envelope')
    return {
      payload: parseExecutionPayloadJson(executionPayload),
      parentBeaconBlockRoot: parseOptional(parentBeaconBlockRoot, 'parentBeaconBlockRoot', parseHash),
    }
  })
}

/** What cannot be read in a call is the caller's to mend. */
export function asParams<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof CodecError) throw invalidParams(error.message)
    throw error
  }
}
