/** admin_*: for the operator of this node, on a port that nobody else reaches. */
import {
  CodecError,
  type PayloadEnvelope,
  parseExecutionPayloadJson,
  parseHash,
  parseOptional,
  payloadHash,
  ZERO_HASH,
} from '@keelson/primitives'
import { invalidParams, RPC_ERROR_NUMBERS, RpcError, type RpcMethods } from '@keelson/runtime'
import type { Driver } from '../driver/driver-api.ts'
import { ConsensusError } from '../errors.ts'
import type { Sequencer } from '../sequencer/sequencer.ts'

export interface AdminRpcDependencies {
  readonly driver: Driver
  /** Null on a node that only follows. */
  readonly sequencer: Sequencer | null
}

export function createAdminMethods({ driver, sequencer }: AdminRpcDependencies): RpcMethods {
  const sequencing = (): Sequencer => {
    if (sequencer === null) throw new RpcError(RPC_ERROR_NUMBERS.server, 'this node follows; it was not started as a sequencer')
    return sequencer
  }
  return {
    admin_startSequencer: ([head]) => {
      const expected = asParams(() => parseOptional(head, 'head', parseHash))
      asAnswer(() => sequencing().start(expected === ZERO_HASH ? null : expected))
      return null
    },
    admin_stopSequencer: () => asAnswer(() => sequencing().stop()),
    admin_sequencerActive: () => sequencer?.active ?? false,
    admin_resetDerivationPipeline: () => {
      driver.submit({ kind: 'reset', reason: 'asked for by the operator' })
      return null
    },
    admin_postUnsafePayload: ([value]) => {
      const envelope = asParams(() => parseEnvelope(value))
      const { payload } = envelope
      const actual = payloadHash(payload, envelope.parentBeaconBlockRoot)
      if (actual !== payload.blockHash) throw invalidParams(`the payload says its hash is ${payload.blockHash}, its fields give ${actual}`)
      if (driver.submit({ kind: 'unsafe-payload', envelope, from: 'admin' }) === 'full') {
        throw new RpcError(RPC_ERROR_NUMBERS.server, 'the queue of inputs is full; try again')
      }
      return null
    },
  }
}

function parseEnvelope(value: unknown): PayloadEnvelope {
  if (typeof value !== 'object' || value === null) throw invalidParams('expected {executionPayload, parentBeaconBlockRoot}')
  const { executionPayload, parentBeaconBlockRoot } = value as Record<string, unknown>
  return {
    payload: parseExecutionPayloadJson(executionPayload),
    parentBeaconBlockRoot: parseOptional(parentBeaconBlockRoot, 'parentBeaconBlockRoot', parseHash),
  }
}

function asParams<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof CodecError) throw invalidParams(error.message)
    throw error
  }
}

function asAnswer<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (error instanceof ConsensusError) throw new RpcError(RPC_ERROR_NUMBERS.server, error.message)
    throw error
  }
}
